import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { testPlantAdapter } from 'plant-store/testing'
import { toStreamHandler } from './http2-adapter.mts'

async function start(store: Parameters<typeof toStreamHandler>[0]) {
  const server = createServer().on('stream', toStreamHandler(store)).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, stop: () => server.close() }
}

testPlantAdapter({ describe, it }, start, { versions: ['2'] })
