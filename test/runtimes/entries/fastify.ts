import Fastify, { type FastifyReply } from 'fastify'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { errors } from '../../../src/index.ts'
import { store } from '../store.ts'

const app = Fastify({
  // A broken percent-encoding is refused by Fastify's router, before any plugin.
  frameworkErrors(_error, _request, reply: FastifyReply) {
    const { error, status, message } = errors.invalid_id
    reply
      .code(status)
      .headers({
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      .serializer(String)
      .send(JSON.stringify({ error, message }))
  },
})
app.register(toFastifyPlugin(store))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
