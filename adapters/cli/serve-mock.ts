import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlantStore } from '../../src/index.ts'
import { enableGracefulClose, toNodeHandler } from '../node.ts'

/** The message of the request that is being handled. */
const messages = new AsyncLocalStorage<IncomingMessage>()

/** Breaks the connection of the request that is being handled. A store can't: it only replies. */
export function cutConnection(): void {
  messages.getStore()!.socket.destroy()
}

/** Does what `serve` does, in a server whose connections can be cut. */
export async function serveMock(
  store: Pick<PlantStore, 'handle' | 'notFound' | 'close'>,
  { port, hostname }: { port: number; hostname: string },
): Promise<{ url: string }> {
  const handler = toNodeHandler(store)
  // Node's 5 s would close a connection at the moment at which a client uses it again.
  const server = createServer({ keepAliveTimeout: 65_000 }, (message, response) => {
    messages.run(message, () => handler(message, response))
  })
  server.listen(port, hostname)
  await once(server, 'listening')
  enableGracefulClose(server, store)
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return { url: `http://${host}:${(server.address() as AddressInfo).port}` }
}
