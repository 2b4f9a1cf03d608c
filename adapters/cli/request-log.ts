import { isStream } from '../../src/adapter.ts'
import { watchBody } from '../../src/http/respond.ts'
import type { IncomingRequest, Reply } from '../../src/index.ts'

/**
 * Prints a line when a reply has been sent: its status, its time, and why it failed. Nothing of it is secret.
 *
 * @param start when the request came, by `performance.now()`
 */
export function logReply(request: IncomingRequest, reply: Reply, start: number): Reply {
  const { status, body, headers } = reply
  const { 'preference-applied': preference } = headers
  const asked = preference === undefined ? '' : `Prefer: ${preference} `
  function log(reason: string): void {
    // Without the query and a user, which may be secret.
    const { pathname } = new URL(request.toRequest().url)
    const ms = (performance.now() - start).toFixed(1)
    console.log(`${request.method} ${pathname} ${status} ${ms} ms ${asked}${reason}`.trimEnd())
  }
  if (isStream(body)) {
    const watched = watchBody(body, (outcome) => log(outcome === 'sent' ? '' : outcome))
    return { ...reply, body: watched }
  }
  const isError = body && status >= 400 && headers['content-type'] === 'application/json'
  log(isError ? JSON.parse(body).message : '')
  return reply
}
