import { connect, type Socket } from 'node:net'
import { neonConfig } from '@neondatabase/serverless'

/** Lets Neon's driver reach a PostgreSQL that has no WebSocket proxy before it. */
export function useTcpForNeon(): void {
  neonConfig.webSocketConstructor = NeonSocket
  neonConfig.wsProxy = (host, port) => `${host}/?address=${host}:${port}`
  neonConfig.pipelineConnect = false
}

/**
 * What Neon's driver takes for a WebSocket, and is a TCP connection: Neon's proxy turns the one into
 * the other and changes nothing in between.
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
