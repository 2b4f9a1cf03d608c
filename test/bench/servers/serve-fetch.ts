type Handler = (request: Request) => Response | Promise<Response>

declare const Bun: { serve(options: object): { port: number } } | undefined
declare const Deno:
  | { serve(options: object, fetch: Handler): { addr: { port: number } } }
  | undefined

/** The runtime that this process runs on. */
export const runtime = typeof Bun === 'object' ? 'bun' : typeof Deno === 'object' ? 'deno' : 'node'

/** Serves a `fetch` handler with the runtime's own server; on Node with Hono's. */
export async function serveFetch(fetch: Handler): Promise<number> {
  const address = { hostname: '127.0.0.1', port: 0 }
  if (typeof Bun === 'object') return Bun.serve({ ...address, fetch }).port
  if (typeof Deno === 'object') return Deno.serve({ ...address, onListen() {} }, fetch).addr.port
  const { serve } = await import('@hono/node-server')
  return new Promise((resolve) => serve({ ...address, fetch }, ({ port }) => resolve(port)))
}
