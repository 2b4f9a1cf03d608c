import { addCommonHeaders } from '../../src/http/answer.ts'
import { createResponse, toResponse } from '../../src/http/web-response.ts'
import { jsonReply, type Reply } from '../../src/reply.ts'

/** The headers of every JSON reply. */
const common = addCommonHeaders(jsonReply(null)).headers
const commonHeaders = new Headers(common)

/**
 * Creates a `Response`, as `toResponse` does. Bun reads three headers from a plain object in 0.5 µs, and copies a
 * Headers object in 0.2 µs (2 000 calls in a loop).
 */
export function toBunResponse(reply: Reply): Response {
  const { headers } = reply
  for (const name in common) {
    if (headers[name] !== common[name]) return toResponse(reply)
  }

  const response = createResponse(reply, commonHeaders)
  for (const name in headers) {
    if (!Object.hasOwn(common, name)) response.headers.append(name, headers[name]!)
  }
  return response
}
