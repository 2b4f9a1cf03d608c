import { respond } from './bare-fetch.ts'

declare const Bun: { serve(options: object): { port: number } }

export function listen(): number {
  return Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 255, fetch: respond }).port
}
