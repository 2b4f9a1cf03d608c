/** The request that a verifier, `onError` or `onResponse` is called for. */
export interface RequestContext {
  /**
   * A true `Request` with the method, URL and headers of the request and without its body, so that nobody
   * can consume that. It is built when it is first read.
   */
  readonly request: Request
}
