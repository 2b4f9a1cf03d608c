import { createHash } from 'node:crypto'
import type { IncomingRequest } from '../../../src/index.ts'

/** As much of a body as the store reads by default. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Tells requests apart: two with the same key are the same request, sent again. Returns the request too, since its body can be
 * read only once.
 */
export async function identifyRequest(
  request: IncomingRequest,
): Promise<{ request: IncomingRequest; key: string }> {
  const { method, url, headers } = request
  const start = `${headers.get('authorization') ?? ''} ${method} ${url}`
  if (method !== 'POST') return { request, key: start }
  const reading = Promise.resolve(request.readBody(MAX_BODY_BYTES))
  const body = await reading.catch(() => null)
  const hash = createHash('sha256').update(Buffer.from((body ?? '') as Uint8Array))
  return {
    request: { ...request, readBody: () => reading },
    key: `${start} ${hash.digest('base64url')}`,
  }
}
