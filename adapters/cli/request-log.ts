import { isStream } from '../../src/adapter.ts'
import { watchBody } from '../../src/http/respond.ts'
import type { IncomingRequest, Reply } from '../../src/index.ts'

/** Prints a line at the end of a response: its status, its time, and why it failed. Nothing of it is secret. */
export function logged<Rest extends unknown[]>(
  serve: (request: IncomingRequest, ...rest: Rest) => Promise<Reply>,
): typeof serve {
  return async (request, ...rest) => {
    const start = performance.now()
    const reply = await serve(request, ...rest)
    const { body, headers } = reply
    const { 'preference-applied': preference } = headers
    const asked = preference === undefined ? '' : `Prefer: ${preference} `
    function log(reason: string): void {
      // Without the query and a user, which may be secret.
      const { pathname } = new URL(request.toRequest().url)
      const ms = (performance.now() - start).toFixed(1)
      console.log(
        `${request.method} ${pathname} ${reply.status} ${ms} ms ${asked}${reason}`.trimEnd(),
      )
    }
    if (isStream(body)) {
      reply.body = watchBody(body, (outcome) => log(outcome === 'sent' ? '' : outcome))
    } else {
      const isError = body && reply.status >= 400 && headers['content-type'] === 'application/json'
      log(isError ? JSON.parse(body).message : '')
    }
    return reply
  }
}
