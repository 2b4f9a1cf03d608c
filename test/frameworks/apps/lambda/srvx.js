import { toLambdaHandler } from 'srvx/aws-lambda'
import { store } from './store.js'

export const handler = toLambdaHandler({ fetch: store.fetch })
