import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../shared/listen.ts'

export type FaultyProxy = Awaited<ReturnType<typeof createFaultyProxy>>

const COMMITTED = {
  // ReadyForQuery, outside of a transaction.
  postgres: Buffer.from('Z\0\0\0\x05I', 'latin1'),
  // An OK packet of seven bytes, in autocommit mode: it has no message. A row of it was affected.
  mysql: Buffer.from('\x07\0\0\x01\0\x01\0\x02\0', 'latin1'),
}

/**
 * Creates a TCP proxy in front of a database server that can fail on command.
 *
 * @param protocol tells which replies mean that a statement has been committed
 * @param delayMs how much later a statement is forwarded. Default: at once
 */
export async function createFaultyProxy(
  port: number,
  protocol: keyof typeof COMMITTED = 'postgres',
  delayMs?: number,
) {
  const host = '127.0.0.1'
  let target: number | undefined = port
  let swallowing = 0
  const sockets = new Set<Socket>()

  const server = createServer({ noDelay: true }, (client) => {
    if (target === undefined) return void client.destroy()
    const database = connect({ port: target, host, noDelay: true })
    tie(client, database)
    tie(database, client)
    client.on('data', (data) => {
      if (delayMs === undefined) database.write(data)
      else setTimeout(() => database.write(data), delayMs)
    })
    database.on('data', (data: Buffer) => {
      if (swallowing === 0 || !data.includes(COMMITTED[protocol])) return void client.write(data)
      swallowing--
      client.destroy()
    })
  })
  const { port: ownPort, close } = await listen(server)

  function tie(one: Socket, other: Socket): void {
    sockets.add(one)
    one.on('error', () => {})
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  return {
    /** The host and port for a pool. */
    address: { host, port: ownPort },
    /** Connects new clients to another server, or refuses them. */
    connectTo(port: number | undefined): void {
      target = port
    },
    /** Breaks the connection instead of forwarding the reply to each of the next `count` statements. */
    swallowReplies(count: number): void {
      swallowing = count
    },
    /** Breaks all open connections. */
    cut,
    /** Forwards nothing more on the open connections, without breaking them. */
    silence(): void {
      for (const socket of sockets) socket.removeAllListeners('data').resume()
    },
    close(): Promise<void> {
      const closed = close()
      cut()
      return closed
    },
  }
}
