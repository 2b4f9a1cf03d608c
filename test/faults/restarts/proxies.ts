import { freePort } from '../../shared/free-port.ts'
import { missing, NO_NGINX, startNginx, startProxy } from '../../shared/nginx.ts'

const HAPROXY = '/usr/sbin/haproxy'
export type ProxyName = 'nginx' | 'haproxy'

/** A kind of proxy in front of servers. It keeps connections to them alive, and never sends a request twice. */
interface ProxyKind {
  /** Why it can't be used, if it can't. */
  readonly missing: string | false
  start(ports: number[]): Promise<{ url: string; close(): Promise<void> }>
}

export const proxies: Record<ProxyName, ProxyKind> = {
  nginx: kind(NO_NGINX, (port, ports) => {
    const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`)
    const http = `
      keepalive_requests 1000000000;
      upstream plants { ${servers.join(' ')} keepalive 64; keepalive_requests 1000000000; }
      server {
        listen 127.0.0.1:${port} backlog=4096;
        location / { proxy_pass http://plants; proxy_http_version 1.1; proxy_set_header Connection ""; }
      }`
    return startNginx(http, port)
  }),
  haproxy: kind(missing(HAPROXY), (port, ports) => {
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
    return startProxy([HAPROXY, '-db', '-f'], port, () => config)
  }),
}

function kind(
  missing: string | false,
  startOn: (port: number, ports: number[]) => Promise<() => Promise<void>>,
): ProxyKind {
  return {
    missing,
    async start(ports) {
      const port = await freePort()
      return { url: `http://127.0.0.1:${port}`, close: await startOn(port, ports) }
    },
  }
}
