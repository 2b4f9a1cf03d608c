import Hapi from '@hapi/hapi'
import { toNodeHandler } from '../../../adapters/node.ts'
import { store } from './store.ts'

export const app = Hapi.server()
const plants = toNodeHandler(store)
app.route({
  method: '*',
  path: '/api/{path*}',
  // The store reads the body, and has its own limit.
  options: { payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER } },
  handler({ raw }, h) {
    plants(raw.req, raw.res)
    return h.abandon
  },
})
