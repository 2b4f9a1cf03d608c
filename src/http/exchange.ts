import type { IncomingRequest } from '../incoming-request.ts'
import type { RequestContext } from '../request-context.ts'
import type { RoutePath } from '../response-event.ts'

/** A request, and what the store learns about it while it is served. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: RequestContext
  readonly route: RoutePath | undefined
  owner: string | undefined
  /** Whether the verifier or the storage was waited for, so that the client may have disconnected. */
  hasWaited: boolean
  /** Whether a list is read on, so that refusing a call would break it. */
  hasBegun: boolean
}

/** Starts the exchange of a request. */
export function createExchange(request: IncomingRequest, route: RoutePath | undefined): Exchange {
  const context = createContext(request)
  return { request, context, route, owner: undefined, hasWaited: false, hasBegun: false }
}

/** Creates the context of a request, which builds its Request when it is first read. */
export function createContext(incoming: IncomingRequest): RequestContext {
  let request: Request | undefined
  return {
    get request() {
      request ??= incoming.toRequest()
      return request
    },
  }
}
