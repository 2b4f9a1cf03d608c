import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { answer } from './bare.ts'

export async function listen(): Promise<number> {
  const app = Fastify()
  // The handler reads the body itself.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.all('/*', (request, reply) => {
    reply.hijack()
    return answer(request.raw, reply.raw)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}
