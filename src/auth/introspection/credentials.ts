import { kindOf } from '../../lib/arguments.ts'

/** Encodes client_secret_basic. Both values are form-encoded first (RFC 6749, section 2.3.1). */
export function basicCredentials(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encode('clientId', clientId)}:${encode('clientSecret', clientSecret)}`)}`
}

function encode(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') {
    return new URLSearchParams({ '': value }).toString().slice(1)
  }
  throw new TypeError(`${option} must be a string that is not empty; got ${kindOf(value)}`)
}
