import { assertOptions, type Caller, type MaybePromise } from '../src/adapter.ts'

/** The options of a handler, for the host's request. */
export interface HandlerOptions<HostRequest> {
  /**
   * Returns the caller, in an app that has signed in its users. `Authorization` is then ignored. If it returns nothing,
   * the client gets 401; if it throws, 503 `auth_unavailable`. Default: the bearer token decides.
   */
  caller?: ((request: HostRequest) => MaybePromise<Caller | null | undefined>) | undefined
}

/**
 * Checks the options of a handler.
 *
 * @param callee the name of the function that takes them, for the message
 */
export function assertHandlerOptions(callee: string, options: object): void {
  assertOptions(callee, options, ['caller'])
  const { caller } = options as HandlerOptions<unknown>
  if (caller === undefined || typeof caller === 'function') return
  throw new TypeError(`${callee}: caller must be a function of the request`)
}
