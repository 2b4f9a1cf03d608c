import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../shared/listen.ts'

/** A TCP proxy in front of a database server that can fail on command. */
export interface FaultyProxy {
  /** The host and port for a pool. */
  address: { host: string; port: number }
  /** Connects new clients to another server, or refuses them. */
  connectTo(port: number | undefined): void
  /** Breaks the connection instead of forwarding the reply to each of the next `count` statements. */
  swallowReplies(count: number): void
  /** Breaks all open connections. */
  cut(): void
  /** Forwards nothing more on the open connections, without breaking them. */
  silence(): void
  close(): Promise<void>
}

const COMMITTED = {
  // ReadyForQuery, outside of a transaction.
  postgres: Buffer.from('Z\0\0\0\x05I', 'latin1'),
  // An OK packet of seven bytes, in autocommit mode: it has no message. A row of it was affected.
  mysql: Buffer.from('\x07\0\0\x01\0\x01\0\x02\0', 'latin1'),
}

/**
 * @param protocol tells which replies mean that a statement has been committed
 * @param delayMs how much later a statement is forwarded. Default: at once
 */
export async function createFaultyProxy(
  port: number,
  protocol: keyof typeof COMMITTED = 'postgres',
  delayMs?: number,
): Promise<FaultyProxy> {
  let target: number | undefined = port
  let swallowing = 0
  const sockets = new Set<Socket>()

  const server = createServer({ noDelay: true }, (client) => {
    if (target === undefined) {
      client.destroy()
      return
    }
    const database = connect({ port: target, host: '127.0.0.1', noDelay: true })
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
    client.on('data', (data) => {
      if (delayMs === undefined) database.write(data)
      else setTimeout(() => database.write(data), delayMs)
    })
    database.on('data', (data: Buffer) => {
      if (swallowing === 0 || !data.includes(COMMITTED[protocol])) {
        client.write(data)
      } else {
        swallowing--
        client.destroy()
      }
    })
  })
  const { port: ownPort, close } = await listen(server)

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  function silence(): void {
    for (const socket of sockets) socket.removeAllListeners('data').resume()
  }

  return {
    address: { host: '127.0.0.1', port: ownPort },
    connectTo: (port) => {
      target = port
    },
    swallowReplies: (count) => {
      swallowing = count
    },
    cut,
    silence,
    close() {
      const closed = close()
      cut()
      return closed
    },
  }
}
