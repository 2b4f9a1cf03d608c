import { isToken68 } from './token-hash.ts'

// RFC 6750, section 2.1. A scheme is case-insensitive (RFC 9110, section 11.1).
const SCHEME = /^Bearer +/i

/** Reads the bearer token from the Authorization header. Returns undefined if it is missing or malformed. */
export function bearerToken(headers: { get(name: string): string | null }): string | undefined {
  const credentials = headers.get('authorization')
  const scheme = credentials && SCHEME.exec(credentials)
  if (!scheme) return undefined
  const token = credentials.slice(scheme[0].length)
  return isToken68(token) ? token : undefined
}
