import type { Mount } from '../apps.ts'

/** The store in a running app. */
export interface Api {
  /** Where it is mounted, without a slash at the end. */
  readonly url: string
  readonly mount: Mount
  /** The output of the app. */
  output(): string
}

/** The token of every app; it opens the plants of `alice`. */
export const TOKEN = 's3cret'

export interface CallOptions {
  body?: string
  headers?: Record<string, string>
}

/** A response, with its whole body: what nobody reads keeps its connection busy. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request as a user's own client would: with the token, as JSON. */
export async function call(
  { url }: Api,
  method: string,
  path: string,
  { body, headers }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
