/**
 * Creates the Link header to the next page (RFC 8288). A query-only reference (RFC 3986, section 4.2) is right under
 * every mount path and behind every proxy.
 */
export function nextLinkHeader(limit: number, cursor: string): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${cursor}>; rel="next"` }
}
