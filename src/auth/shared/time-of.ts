/** Shows a time in seconds since 1970, as claims have it. */
export function timeOf(seconds: unknown): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? 'a time out of range' : date.toISOString()
}
