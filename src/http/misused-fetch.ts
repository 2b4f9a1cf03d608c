/**
 * Answers in place of a host that was given `store.fetch` as its own kind of handler, and that ignores the
 * promise: its client would wait for ever.
 *
 * @param others the arguments after the first: a response, and perhaps `next`
 * @returns whether the host has been told, so that the promise must not tell it again
 */
export function answerMisuse(error: unknown, others: readonly unknown[]): boolean {
  const [response, next] = others as [any, any]
  // Express and Connect.
  if (typeof next === 'function') {
    next(error)
    return true
  }
  // A server of node:http, node:https or node:http2.
  if (typeof response?.writeHead !== 'function') return false
  response.writeHead(500).end((error as Error).message)
  return true
}
