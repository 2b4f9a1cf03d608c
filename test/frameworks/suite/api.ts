import type { Mount } from '../apps.ts'

/** The store in a running app. */
export interface Api {
  /** Where it is mounted, without a slash at the end. */
  readonly url: string
  readonly mount: Mount
  /** What the app has printed. */
  output(): string
}

/** The token of every app; it opens the plants of `alice`. */
export const TOKEN = 's3cret'

export interface CallOptions {
  body?: string | ReadableStream<Uint8Array>
  headers?: Record<string, string>
}

/** Sends a request as a user's own client would: with the token, as JSON. */
export function call(
  { url }: Api,
  method: string,
  path: string,
  { body, headers }: CallOptions = {},
): Promise<Response> {
  const init = {
    method,
    body,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
    redirect: 'manual',
    // A stream needs it: https://fetch.spec.whatwg.org/#dom-requestinit-duplex
    duplex: 'half',
  } as RequestInit
  return fetch(url + path, init)
}
