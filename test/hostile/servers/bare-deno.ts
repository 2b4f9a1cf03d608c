import { respond } from './bare-fetch.ts'

declare const Deno: {
  serve(
    options: object,
    handler: (request: Request) => Promise<Response>,
  ): {
    addr: { port: number }
  }
}

export function listen(): number {
  return Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, respond).addr.port
}
