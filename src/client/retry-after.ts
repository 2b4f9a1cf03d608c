/** Returns the seconds of a `Retry-After` header. A proxy may send a date (RFC 9110, section 10.2.3). */
export function retryAfter(header: any): number | undefined {
  const seconds = header > 0 ? +header : (Date.parse(header) - Date.now()) / 1000
  return seconds > 0 ? seconds : undefined
}
