import type { ErrorName } from './errors.ts'
import type { MaybePromise } from './lib/promises.ts'

/** The request that a verifier, `onError` or `onResponse` is called for. */
export interface RequestContext {
  /**
   * A real `Request` with the method, URL and headers of the request. It has no body, so nothing can consume the body.
   * It is built when it is first read.
   */
  readonly request: Request
  /**
   * Aborted when the client has disconnected, or when the verifier has exceeded `timeoutMs`. Pass it on to `fetch`. It is
   * built when it is first read.
   */
  readonly signal: AbortSignal
}

/** The context that a verifier is called with. */
export interface VerifierContext extends RequestContext {
  /**
   * Says why the verifier refuses the token, and returns null, for `return context.refuse('session expired')`. The reason is
   * for the app: the event of `onResponse` has it, and the default log prints each one once a minute. The client never
   * sees it, not even as `error_description` (RFC 6750, section 3), so attackers learn nothing about valid tokens.
   *
   * @param reason a short phrase without the token, such as `audience is "a", expected "b"`
   */
  refuse(reason: string): null
}

/** See the option `onError`. */
export type OnError = (error: unknown, context: RequestContext) => MaybePromise<void>

/** A path of the API, as the OpenAPI document writes it. */
export type RoutePath = '/plants' | '/plants/{id}'

/** The end of a response: complete, aborted because the client disconnected, or failed in its body. */
export type ResponseOutcome = 'sent' | 'aborted' | 'failed'

/**
 * The event that `onResponse` is called with, once per request, at the end of the response body. A body that is
 * not streamed ends when it is handed over to the host.
 *
 * @example
 * ```ts
 * const store = createPlantStore(storage, verify, {
 *   onResponse: ({ method, route = '-', status, durationMs, outcome }) =>
 *     console.log(`${method} ${route} ${status} ${durationMs.toFixed(1)} ms ${outcome}`),
 * })
 * ```
 */
export interface ResponseEvent extends RequestContext {
  /** The HTTP method. */
  readonly method: string
  /** The matched route, without the `basePath`; undefined where no route matched. */
  readonly route: RoutePath | undefined
  /**
   * The HTTP status; 499 if the store stopped because the client had disconnected. See `outcome` for other
   * disconnects.
   */
  readonly status: number
  /** The catalogue's name of the error, if the response is one or its body failed. */
  readonly error: ErrorName | undefined
  /**
   * Why the token was refused: the verifier's reason for `invalid_token`, or the token's scopes for
   * `insufficient_scope`.
   */
  readonly reason: string | undefined
  /** The owner, once the caller has been authenticated. */
  readonly owner: string | undefined
  /** When the store got the request, in ms since 1970. */
  readonly startedAt: number
  /** From `startedAt` to the end of the body, in ms. */
  readonly durationMs: number
  /** The end of the response: `aborted` if the client disconnected, regardless of the status. */
  readonly outcome: ResponseOutcome
}

/** See the option `onResponse`. */
export type OnResponse = (event: ResponseEvent) => MaybePromise<void>
