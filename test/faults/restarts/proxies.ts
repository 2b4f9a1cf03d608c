import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { freePort } from '../../shared/free-port.ts'
import { listen } from '../../shared/listen.ts'
import { missing, NO_NGINX, startNginx, startProxy } from '../../shared/nginx.ts'

/** A proxy in front of servers. It keeps connections to them alive, and never sends a request twice. */
interface Proxy {
  readonly port: number
  close(): Promise<unknown>
}

/** Why a proxy can't be used, if it can't, and how it is started. */
export interface ProxyKind {
  readonly missing?: string | false
  start(ports: number[]): Promise<Proxy>
}

/** @param keepalive how many idle connections to the servers nginx keeps */
function nginx(keepalive: number): ProxyKind {
  return {
    missing: NO_NGINX,
    async start(ports) {
      const port = await freePort()
      const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`)
      const http = `
        keepalive_requests 1000000000;
        upstream plants { ${servers.join(' ')} keepalive ${keepalive}; keepalive_requests 1000000000; }
        server {
          listen 127.0.0.1:${port} backlog=4096;
          location / { proxy_pass http://plants; proxy_http_version 1.1; proxy_set_header Connection ""; }
        }`
      return { port, close: await startNginx(http, port) }
    },
  }
}

const HAPROXY = '/usr/sbin/haproxy'

const haproxy: ProxyKind = {
  missing: missing(HAPROXY),
  async start(ports) {
    const port = await freePort()
    const servers = ports.map((port) => `  server s${port} 127.0.0.1:${port}`)
    const config = `
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  option redispatch 1
  http-reuse always
frontend clients
  bind 127.0.0.1:${port}
  default_backend plants
backend plants
${servers.join('\n')}
`
    return { port, close: await startProxy([HAPROXY, '-db', '-f'], port, () => config) }
  },
}

/** A small proxy of our own. It tries the next server only if one refuses the connection. */
const own: ProxyKind = {
  async start(ports) {
    const agent = new Agent({ keepAlive: true })
    let turn = 0
    const { port, close } = await listen(async (message, response) => {
      const { method, url: path, headers } = message
      const body = await buffer(message)
      const first = turn++
      function forward(tries: number): void {
        const port = ports[(first + tries) % ports.length]!
        const outgoing = request({ port, method, path, headers, agent }, (incoming) => {
          response.writeHead(incoming.statusCode!, incoming.headers)
          incoming.once('error', () => response.destroy()).pipe(response)
        })
        outgoing.once('error', (error) => {
          const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
          if (isRefused && tries + 1 < ports.length) forward(tries + 1)
          else if (!response.headersSent) response.writeHead(502).end(String(error))
        })
        outgoing.end(body)
      }
      forward(0)
    })
    return { port, close }
  },
}

/** By name. */
export const PROXIES = { own, nginx: nginx(64), 'nginx with a small pool': nginx(8), haproxy }
