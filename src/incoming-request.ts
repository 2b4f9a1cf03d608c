/** A request body: its bytes, its text, or the value that a parser in front of the store made of it. */
export type IncomingBody = Uint8Array | string | { parsed: unknown }

/**
 * What the store reads of a request, and how. An adapter brings its framework's own request in this
 * shape, and neither a `Request` nor a web stream is built for the common case.
 */
export interface IncomingRequest {
  readonly method: string
  /** Absolute, or no more than path and query. */
  readonly url: string
  /** `get` answers with a header's value by lower-case name; several fields of one name are joined by a comma. */
  readonly headers: { get(name: string): string | null }
  /**
   * Reads the body to its end, or `null` as soon as it turns out to have more than `maxBytes` bytes.
   * Called once at most. Rejects when the body breaks off.
   */
  readBody(maxBytes: number): Promise<IncomingBody | null>
  /** Builds a Request with the method, URL and headers of this one and no body. */
  toRequest(): Request
  /** Has the runtime wait for what outlives the answer, where it would otherwise stop with the answer. */
  waitUntil?(work: Promise<unknown>): void
}

/**
 * What `readBody` rejects with when the body is gone before the store is asked: a middleware in front
 * of it has read it. That is the app's mistake, so 500, and told to `onError`.
 */
export class BodyConsumedError extends Error {
  override readonly name = 'BodyConsumedError'
  override readonly message =
    'The body was read before the plant store was asked: mount the store before what reads bodies'
}

/** Reads a Request as an IncomingRequest. */
export function fromRequest(request: Request): IncomingRequest {
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    readBody: (maxBytes) => readBody(request, maxBytes),
    toRequest: () => (request.body === null ? request : withoutBody(request)),
  }
}

function withoutBody({ method, url, headers, signal }: Request): Request {
  return new Request(url, { method, headers, signal })
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (request.bodyUsed) throw new BodyConsumedError()
  const announced = request.headers.get('content-length')
  if (announced === null) return readStream(request, maxBytes)
  if (Number(announced) > maxBytes) return null
  // No server lets more bytes through than were announced (RFC 9112, section 6.3), and chunk by chunk
  // they cost several times as much.
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.byteLength > maxBytes ? null : bytes
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Not for await: not every runtime's ReadableStream is an AsyncIterable.
  const reader = request.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBytes) {
      // The verdict doesn't wait for the other side to hear of it.
      reader.cancel().catch(() => {})
      return null
    }
    chunks.push(value)
  }
  return chunks.length === 1 ? chunks[0]! : concatenate(chunks, size)
}

function concatenate(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
