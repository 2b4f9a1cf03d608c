import { internalErrorReply } from '../../src/http/answer.ts'
import { createResponse, toResponse } from '../../src/http/web-response.ts'
import type { Reply } from '../../src/reply.ts'

/** The headers that all JSON replies of the store have. */
const common: Record<string, string> = internalErrorReply().headers
const commonCount = Object.keys(common).length
const commonHeaders = new Headers(common)

/**
 * Creates a `Response`, as `toResponse` does. Bun copies a Headers object in a third of the time that it takes to read
 * a plain one: this saves half of a create's Response, and a fifth of a list's (2 000 calls in a loop).
 */
export function toBunResponse(reply: Reply): Response {
  const { headers } = reply
  let found = 0
  for (const name in headers) if (headers[name] === common[name]) found++
  if (found < commonCount) return toResponse(reply)

  const response = createResponse(reply, commonHeaders)
  for (const name in headers) {
    if (headers[name] !== common[name]) response.headers.append(name, headers[name]!)
  }
  return response
}
