import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { freePort } from '../../shared/free-port.ts'
import { listen } from '../../shared/listen.ts'

/** A proxy in front of servers. It keeps connections to them alive, and never sends a request twice. */
export interface Proxy {
  readonly port: number
  close(): Promise<unknown>
}

/** Why a proxy can't be used, if it can't, and how it is started. */
export interface ProxyKind {
  readonly missing?: string | false
  start(ports: number[]): Promise<Proxy>
}

const missing = (path: string) => !existsSync(path) && `this machine has no ${path}`

/** @param keepalive how many idle connections to the servers nginx keeps */
function nginx(keepalive: number): ProxyKind {
  return {
    missing: missing('/usr/sbin/nginx'),
    start: (ports) =>
      startProgram('/usr/sbin/nginx', ['-c'], (port, folder) => {
        const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`)
        return `
          ${process.getuid?.() === 0 ? 'user root;' : ''}
          daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1; events {}
          http {
            access_log off; keepalive_requests 1000000000;
            client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
            uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
            upstream plants { ${servers.join(' ')} keepalive ${keepalive}; keepalive_requests 1000000000; }
            server {
              listen 127.0.0.1:${port} backlog=4096;
              location / { proxy_pass http://plants; proxy_http_version 1.1; proxy_set_header Connection ""; }
            }
          }`
      }),
  }
}

const haproxy: ProxyKind = {
  missing: missing('/usr/sbin/haproxy'),
  start: (ports) =>
    startProgram('/usr/sbin/haproxy', ['-db', '-f'], (port) => {
      const servers = ports.map((port) => `  server s${port} 127.0.0.1:${port}`)
      return `
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
    }),
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

async function startProgram(
  path: string,
  options: string[],
  configure: (port: number, folder: string) => string,
): Promise<Proxy> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-proxy-'))
  const config = join(folder, 'config')
  await writeFile(config, configure(port, folder))
  const child = spawn(path, [...options, config], { stdio: ['ignore', 'inherit', 'inherit'] })
  const exited = once(child, 'exit')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${path} has ended`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    port,
    async close() {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => resolve(true)).once('connect', () => socket.destroy())
  })
}
