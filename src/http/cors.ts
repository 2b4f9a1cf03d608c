/** The origins whose web pages may call the store from a browser. */
export interface CorsOptions {
  /** `*` for every origin, or the origins themselves, such as `https://garden.example`. */
  origin: '*' | string | readonly string[]
}

const EXPOSED = 'Link, Retry-After, WWW-Authenticate'

/**
 * Returns the CORS headers of a response (Fetch standard, section 3.3). No credentials mode: a bearer token is
 * sent by the page's own code, never by the browser on its own.
 */
export function corsHeaders(
  { origin: allowed }: CorsOptions,
  headers: { get(name: string): string | null },
  preflightMethods?: string,
): Record<string, string> {
  const origin = headers.get('origin')
  const vary: Record<string, string> = allowed === '*' ? {} : { vary: 'Origin' }
  if (origin === null || !allows(allowed, origin)) return vary
  return {
    ...vary,
    'access-control-allow-origin': allowed === '*' ? '*' : origin,
    ...(preflightMethods === undefined
      ? { 'access-control-expose-headers': EXPOSED }
      : {
          'access-control-allow-methods': preflightMethods,
          // Authorization has to be named: a * would not cover it.
          'access-control-allow-headers': 'Authorization, Content-Type',
          'access-control-max-age': '86400',
        }),
  }
}

function allows(allowed: CorsOptions['origin'], origin: string): boolean {
  return typeof allowed === 'string'
    ? allowed === '*' || allowed === origin
    : allowed.includes(origin)
}
