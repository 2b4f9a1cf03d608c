/** Splits a URL, absolute or no more than path and query, without the cost of a URL object. */
export function splitTarget(url: string): { path: string; query: string } {
  const pathStart = url[0] === '/' ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  // A Request's url keeps its fragment.
  const hash = url.indexOf('#', pathStart)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', pathStart)
  if (mark === -1 || mark > end) return { path: url.slice(pathStart, end), query: '' }
  return { path: url.slice(pathStart, mark), query: url.slice(mark + 1, end) }
}
