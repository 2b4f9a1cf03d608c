import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Starts a TCP proxy that forwards everything `ms` later, and returns its port. */
export async function startDelayingProxy(port: number, ms: number): Promise<number> {
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ port, host: '127.0.0.1', noDelay: true })
    forward(client, database, ms)
    forward(database, client, 0)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function forward(from: Socket, to: Socket, ms: number): void {
  from.on('data', (data) => setTimeout(() => to.write(data), ms))
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}
