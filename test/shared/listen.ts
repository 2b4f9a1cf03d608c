import { once } from 'node:events'
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/** A running server and its address. */
export interface Listening<S extends Server = HttpServer> {
  readonly server: S
  readonly port: number
  readonly url: string
  /** Closes the server and its connections. */
  close(): Promise<void>
}

/** Serves a Node app, or starts a server of any Node module, on a free port of 127.0.0.1. */
export async function listen(app: RequestListener): Promise<Listening>
export async function listen<S extends Server>(server: S): Promise<Listening<S>>
export async function listen(app: RequestListener | Server): Promise<Listening<Server>>
export async function listen(app: RequestListener | Server): Promise<Listening<Server>> {
  const server: Server = typeof app === 'function' ? createServer(app) : app
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const scheme = server instanceof TlsServer ? 'https' : 'http'
  return { server, port, url: `${scheme}://127.0.0.1:${port}`, close: () => close(server) }
}

function close(server: Server | HttpServer): Promise<void> {
  // Servers of node:net and node:http2 don't have this method.
  if ('closeAllConnections' in server) server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
