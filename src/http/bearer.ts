/** RFC 9110, section 11.2. */
export const TOKEN68 = /^[a-z0-9\-._~+/]+=*$/i

/** Schemes are case-insensitive (RFC 9110, section 11.1), and RFC 6750, section 2.1, allows several spaces. */
const CREDENTIALS = /^Bearer +([a-z0-9\-._~+/]+=*)$/i

/** Reads the bearer token from the Authorization header. Returns undefined if it is missing or malformed. */
export function bearerToken(headers: { get(name: string): string | null }): string | undefined {
  return CREDENTIALS.exec(headers.get('authorization') ?? '')?.[1]
}
