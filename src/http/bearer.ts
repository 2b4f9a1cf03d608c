// RFC 6750, section 2.1, with the token68 of RFC 9110, section 11.2. The scheme is case-insensitive.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** The bearer token, or undefined if it is missing or malformed. */
export function bearerToken(headers: { get(name: string): string | null }): string | undefined {
  return BEARER.exec(headers.get('authorization') ?? '')?.[1]
}
