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
  body?: string
  headers?: Record<string, string>
}

/** Sends a request as a user's own client would: with the token, as JSON. */
export function call(
  { url }: Api,
  method: string,
  path: string,
  { body, headers }: CallOptions = {},
): Promise<Response> {
  return fetch(url + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
    redirect: 'manual',
  })
}
