import { toLambdaHandler } from 'srvx/aws-lambda'
import { store } from './store.ts'

export const handler = toLambdaHandler({ fetch: store.fetch })
