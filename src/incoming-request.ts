import type { Caller } from './auth-verifier.ts'
import type { MaybePromise } from './lib/promises.ts'

/** A request body: its bytes, its text, or the value that a body parser made of it. */
export type IncomingBody = ArrayBuffer | Uint8Array | string | { parsed: unknown }

/**
 * A request in the form that adapters pass to the store. In the common case, no `Request` and no web stream
 * is built.
 */
export interface IncomingRequest {
  /** The HTTP method. */
  readonly method: string
  /** Absolute, or only the path and query. */
  readonly url: string
  /** `get` takes a lower-case name. Several fields of one name are joined by `, `. */
  readonly headers: { get(name: string): string | null }
  /**
   * Reads the whole body. Called at most once. The result is `null` as soon as the body turns out to be larger than
   * `maxBytes`. A body that is already in memory may be returned unchecked: the store checks the size of bytes and
   * text. Use `readChunks` for a body that isn't in memory. Rejects when the body is incomplete. Throws or rejects with
   * a `BodyConsumedError` when something else has read it.
   */
  readBody(maxBytes: number): MaybePromise<IncomingBody | null>
  /** Builds a Request with the same method, URL and headers, and without a body. */
  toRequest(): Request
  /**
   * Builds the signal that is aborted when the client disconnects. Called when a verifier or a storage asks for it, and
   * when a call has to wait. Default: that of `toRequest()`.
   */
  toSignal?: (() => AbortSignal) | undefined
  /** Whether the client has disconnected. The store then stops reading its storage. Default: never. */
  isAborted?: (() => boolean) | undefined
  /**
   * The caller, for a host app that has signed in its user. Where it is given, `Authorization` is not read: no
   * caller is 401, and an error is 503 `auth_unavailable`. Default: the bearer token decides.
   */
  caller?: (() => MaybePromise<Caller | null | undefined>) | undefined
  /** Keeps a serverless runtime alive until the work has settled, after the response has been sent. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
}
