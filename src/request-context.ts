import type { MaybePromise } from './maybe-promise.ts'

/** The request that a verifier, `onError` or `onResponse` is called for. */
export interface RequestContext {
  /**
   * A true `Request` with the method, URL and headers of the request. It has no body, so nobody can consume
   * the body. It is built when it is first read.
   */
  readonly request: Request
}

/** See the option `onError`. */
export type OnError = (error: unknown, context: RequestContext) => MaybePromise<void>
