/**
 * Answers in place of a host that was given `store.fetch` as its own kind of handler, and that ignores the
 * promise: its client would wait for ever.
 *
 * @param others the arguments after the first: a response, and perhaps `next`
 * @returns a Response if the host has been told. If not, a rejection that is never reported as unhandled, since
 *   that ends a process
 */
export function answerMisuse(error: unknown, others: readonly unknown[]): Promise<Response> {
  const answer = tellHost(error as Error, others)
  answer.catch(() => {})
  return answer
}

async function tellHost(error: Error, [response, next]: readonly any[]): Promise<Response> {
  const isTold = await tell().catch(() => false)
  if (!isTold) throw error
  return new Response(error.message, { status: 500 })

  async function tell(): Promise<boolean> {
    // Express and Connect.
    if (typeof next === 'function') await next(error)
    // A server of node:http, node:https or node:http2.
    else if (typeof response?.writeHead !== 'function') return false
    else if (response.headersSent) response.destroy()
    else {
      response.writeHead(500)
      response.end(error.message)
    }
    return true
  }
}
