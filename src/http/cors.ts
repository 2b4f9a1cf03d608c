import type { IncomingRequest } from '../incoming-request.ts'
import type { CorsOptions } from '../options.ts'

const EXPOSED = 'Link, Retry-After, WWW-Authenticate'

/**
 * Returns the CORS headers of a response (Fetch standard, section 3.3). No credentials mode: a bearer token is
 * sent by the page's own code, never by the browser on its own.
 *
 * @param allow the Allow header of a response to OPTIONS, which is also the one to a preflight
 */
export function corsHeaders(
  { origin: allowed }: CorsOptions,
  { method, headers }: IncomingRequest,
  allow: string | undefined,
): Record<string, string> {
  const origin = headers.get('origin')
  const vary: Record<string, string> = allowed === '*' ? {} : { vary: 'Origin' }
  if (origin === null || (allowed !== '*' && ![allowed].flat().includes(origin))) return vary
  const allowOrigin = { ...vary, 'access-control-allow-origin': allowed === '*' ? '*' : origin }
  if (method !== 'OPTIONS' || allow === undefined) {
    return { ...allowOrigin, 'access-control-expose-headers': EXPOSED }
  }
  return {
    ...allowOrigin,
    'access-control-allow-methods': allow,
    // Any header that the page sends, for example for tracing. Authorization must be named: * doesn't cover it.
    'access-control-allow-headers':
      headers.get('access-control-request-headers') ?? 'Authorization, Content-Type',
    'access-control-max-age': '86400',
  }
}
