import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlantStore } from '../../src/plant-store.ts'
import type { RunningServer } from '../shared/running-server.ts'
import { answer } from './answer.ts'
import { trackConnections } from './connections.ts'

/** Where `serve` listens. */
export interface ServeOptions {
  /** The TCP port; 0 takes a free one. Default: 3000. */
  port?: number
  /** The name or address to listen at. Default: `127.0.0.1`, so nobody but this machine. */
  host?: string
}

const SECOND = 1000

/** A head is one packet or a few; who takes longer is holding connections open (Slowloris). */
const HEADERS_TIMEOUT = 10 * SECOND
/** Enough for the default `maxBodyBytes` of 1 MiB at 20 kB/s. */
const REQUEST_TIMEOUT = 60 * SECOND
/** Longer than load balancers keep idle connections (60 s is usual): the side that sends closes first. */
const KEEP_ALIVE_TIMEOUT = 65 * SECOND
/** Longer than the verifier and the storage may take together; ends clients that stop reading. */
const SOCKET_TIMEOUT = 120 * SECOND
/** Node looks for the first two timeouts this often. */
const CHECKING_INTERVAL = 5 * SECOND
/** Less than the 10 s after which `docker stop` kills. */
const GRACE = 8 * SECOND

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT, each of which lets the requests
 * under way finish and closes the store. A second signal kills.
 *
 * @param store what `createPlantStore` gives, or anything with such a `handle` and `close`
 * @returns once it listens
 * @throws (rejects with) the error of `listen`, such as `EADDRINUSE`
 *
 * @example
 * ```ts
 * import { serve } from 'plant-store/node'
 *
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export async function serve(
  store: Pick<PlantStore, 'handle' | 'close'>,
  { port = 3000, host = '127.0.0.1' }: ServeOptions = {},
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: CHECKING_INTERVAL,
    // A request without a body needs no stream, which is a twentieth of the cost of a list.
    optimizeEmptyRequests: true,
  })
  server.timeout = SOCKET_TIMEOUT
  // Node leaves this undocumented. Without it a client that ends its side after the request, as `nc -N`
  // does, gets no answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  const connections = trackConnections(server)

  function listener(message: IncomingMessage, response: ServerResponse, beforeBody?: () => void) {
    const done = connections.begin(response)
    void answer(store, message, response, beforeBody).then(done)
  }
  server.on('request', listener)
  // So Node doesn't send `100 Continue` by itself, to clients that will be refused.
  server.on('checkContinue', (message, response) => {
    listener(message, response, () => response.writeContinue())
  })

  server.listen(port, host)
  await once(server, 'listening')

  let closing: Promise<boolean> | undefined
  function close(): Promise<boolean> {
    closing ??= shutDown()
    return closing
  }
  async function shutDown() {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    const finished = await connections.close(GRACE)
    await store.close()
    return finished
  }
  async function onSignal(signal: NodeJS.Signals) {
    try {
      // What could not be finished would keep the process alive for as long as it takes.
      if (!(await close())) process.kill(process.pid, signal)
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)

  const address = server.address() as AddressInfo
  return {
    url: toUrl(host, address.port),
    port: address.port,
    close: async () => void (await close()),
  }
}

function toUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
