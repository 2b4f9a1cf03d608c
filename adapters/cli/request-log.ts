import type { ResponseEvent } from '../../src/index.ts'

/** Prints one line per request, without what may be secret: headers, query and body. */
export function logRequest({ request, method, status, durationMs, outcome }: ResponseEvent): void {
  const { pathname } = new URL(request.url)
  const end = outcome === 'sent' ? '' : ` ${outcome}`
  console.log(`${method} ${pathname} ${status} ${durationMs.toFixed(1)} ms${end}`)
}
