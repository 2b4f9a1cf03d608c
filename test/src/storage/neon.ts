import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { neonConfig } from '@neondatabase/serverless'
import type { Pool } from 'pg'

/** Answers Neon's HTTP driver from a PostgreSQL server, as Neon's proxy does. */
export function answerNeon(pool: Pool): RequestListener {
  return async (request, response) => {
    const { query: text, params: values } = (await json(request)) as any
    // The driver asks for arrays of text, and parses the values itself.
    const types = { getTypeParser: () => (value: unknown) => value }
    const statement = { text, values, rowMode: 'array' as const, types: types as any }
    const [status, body] = await pool.query(statement).then(
      (result) => [200, result],
      ({ message, ...fields }) => [400, { message, ...fields }],
    )
    response.writeHead(status as number).end(JSON.stringify(body))
  }
}

/**
 * A TCP connection with the interface of a WebSocket. Neon's proxy forwards the bytes of one to the other
 * unchanged, so the driver sees no difference.
 */
class NeonSocket extends EventTarget {
  binaryType = 'arraybuffer'
  readonly #socket: Socket

  constructor(url: string) {
    super()
    // The host and port of PostgreSQL are a parameter of the proxy's URL.
    const [host, port] = new URL(url).searchParams.get('address')!.split(':')
    this.#socket = connect({ host, port: Number(port), noDelay: true })
      .on('connect', () => this.dispatchEvent(new Event('open')))
      .on('data', (data: Buffer) =>
        this.dispatchEvent(new MessageEvent('message', { data: new Uint8Array(data).buffer })),
      )
      .on('error', () => this.dispatchEvent(new Event('error')))
      .on('close', () => this.dispatchEvent(new Event('close')))
  }

  get readyState(): number {
    return { opening: 0, open: 1 }[this.#socket.readyState as string] ?? 3
  }

  send(data: Uint8Array): void {
    this.#socket.write(data)
  }

  close(): void {
    this.#socket.end()
  }
}

// With it, Neon's driver reaches a PostgreSQL server without Neon's WebSocket proxy.
neonConfig.webSocketConstructor = NeonSocket
neonConfig.wsProxy = (host, port) => `${host}/?address=${host}:${port}`
neonConfig.pipelineConnect = false
