/** Like URL.parse(), which Safari 17 and Chrome 125 don't have. */
export function parseUrl(url: string | URL, base: string): string | undefined {
  try {
    return new URL(url, base).href
  } catch {
    return undefined
  }
}
