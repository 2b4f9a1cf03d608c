import { missing, NO_NGINX, startNginx, startProxy } from '../../shared/nginx.ts'

const HAPROXY = '/usr/sbin/haproxy'

/**
 * The proxies in front of servers: why one can't be used, if it can't, and how it starts on a port and returns what ends
 * it. They keep connections to servers alive, and never send a request twice.
 */
export const proxies = {
  nginx: {
    missing: NO_NGINX,
    start(port: number, servers: number[]) {
      const upstream = servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`)
      const http = `
        keepalive_requests 1000000000;
        upstream plants { ${upstream.join(' ')} keepalive 64; keepalive_requests 1000000000; }
        server {
          listen 127.0.0.1:${port} backlog=4096;
          location / { proxy_pass http://plants; proxy_http_version 1.1; proxy_set_header Connection ""; }
        }`
      return startNginx(http, port)
    },
  },
  haproxy: {
    missing: missing(HAPROXY),
    start(port: number, servers: number[]) {
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
${servers.map((server) => `  server s${server} 127.0.0.1:${server}`).join('\n')}
`
      return startProxy([HAPROXY, '-db', '-f'], port, () => config)
    },
  },
}

export type ProxyName = keyof typeof proxies
