import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to PostgreSQL that can fail. */
export interface FaultyProxy {
  /** For pg's `Pool`. */
  address: { host: string; port: number }
  /** Leads new connections to another server, or nowhere. */
  leadTo(port: number | undefined): void
  /** Breaks the connection in place of each of this many next answers to a statement that came through. */
  swallowAnswers(count: number): void
  /** Breaks all connections. */
  cut(): void
  /** Lets nothing more through on the connections there are, and doesn't break them either. */
  silence(): void
  close(): Promise<void>
}

// ReadyForQuery, outside of a transaction: the statement has been committed.
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1')

export async function createFaultyProxy(port: number): Promise<FaultyProxy> {
  let target: number | undefined = port
  let swallowing = 0
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy()
      return
    }
    const database = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.on('data', (data) => database.write(data))
    database.on('data', (data: Buffer) => {
      if (swallowing === 0) {
        client.write(data)
      } else if (data.includes(READY)) {
        swallowing--
        client.destroy()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  function silence(): void {
    for (const socket of sockets) socket.removeAllListeners('data').resume()
  }

  return {
    address: { host: '127.0.0.1', port: (server.address() as { port: number }).port },
    leadTo: (port) => {
      target = port
    },
    swallowAnswers: (count) => {
      swallowing = count
    },
    cut,
    silence,
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
