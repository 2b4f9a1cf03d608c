/**
 * A response in plain data, which an adapter sends in its host's own way.
 *
 * @example
 * ```ts
 * const reply: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' }
 * ```
 */
export interface Reply {
  /** The HTTP status. */
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  /**
   * The whole body; or an iterable of its parts; or `null` for none.
   *
   * Ask for each part when the part before it has been sent. If the iterable throws, break the
   * connection, so that the client doesn't take the truncated body for a complete one. If the client
   * disconnects, call the iterator's `return()`.
   */
  body: string | AsyncIterable<string> | null
}

/**
 * Whether the body of a reply is streamed.
 *
 * @example
 * ```ts
 * if (isStream(reply.body)) for await (const part of reply.body) await send(part)
 * ```
 */
export function isStream(body: Reply['body']): body is AsyncIterable<string> {
  return body !== null && typeof body !== 'string'
}
