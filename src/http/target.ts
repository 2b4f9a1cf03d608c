/** Splits a URL, absolute or only path and query. A URL object would resolve dot segments. */
export function splitTarget(url: string): { path: string; query: string } {
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  // Not a path: `OPTIONS *`, or an absolute URL without one.
  if (pathStart === -1) return { path: '', query: '' }
  // A Request's url includes its fragment.
  const hash = url.indexOf('#', pathStart)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  if (mark !== -1 && mark < pathStart) return { path: '', query: '' }
  if (mark === -1 || mark > end) return { path: url.slice(pathStart, end), query: '' }
  return { path: url.slice(pathStart, mark), query: url.slice(mark + 1, end) }
}
