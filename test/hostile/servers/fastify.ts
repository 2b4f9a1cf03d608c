import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import type { PlantStore } from '../../../src/index.ts'

export async function listen(store: PlantStore): Promise<number> {
  const app = Fastify()
  app.register(toFastifyPlugin(store))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}
