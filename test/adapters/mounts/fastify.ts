import Fastify from 'fastify'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { mountedStore as store } from './store.ts'

export const app = Fastify()
app.register(toFastifyPlugin(store), { prefix: '/api' })
