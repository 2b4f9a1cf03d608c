// A body that is read in part, and then refused with 413. A client that reads once it has sent all gets no response, since
// the server closes the connection earlier: honojs/node-server#327, and h3 by srvx. The argument is the server.
import { once } from 'node:events'
import { connect } from 'node:net'
import { serve } from '@hono/node-server'
import { H3, serve as serveH3 } from 'h3'

async function refuse(request: Request): Promise<Response> {
  const reader = request.body!.getReader()
  await reader.read()
  reader.releaseLock()
  return new Response('too large', { status: 413 })
}

const servers: Record<string, () => Promise<string>> = {
  hono: () =>
    new Promise((resolve) => {
      serve({ fetch: refuse, port: 0 }, ({ port }) => resolve(`http://localhost:${port}`))
    }),
  async h3() {
    const app = new H3().post('/', ({ req }) => refuse(req))
    return (await serveH3(app, { port: 0, silent: true }).ready()).url!
  },
}
const { hostname, port } = new URL(await servers[process.argv[2]!]!())

const MB = Buffer.alloc(1_000_000)
const socket = connect(Number(port), hostname).pause()
let status = 'no response'
socket.on('data', (bytes) => {
  status = String(bytes).split(' ')[1]!
})
socket.on('error', () => {})
socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${30 * MB.length}\r\n\r\n`)
for (let sent = 0; sent < 30 && socket.writable; sent++) {
  if (!socket.write(MB))
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
}
socket.resume().end()
if (!socket.closed) await once(socket, 'close').catch(() => {})
console.log(status)
process.exit()
