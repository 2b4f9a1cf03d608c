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

/** Creates the context of a request. */
export function createContext(incoming: IncomingRequest): RequestContext {
  return new LazyContext(() => incoming.toRequest())
}

/**
 * Builds the Request when it is first read. A class, since V8 gives each object literal with a getter a hidden class of
 * its own. That keeps all that the getter refers to until a full garbage collection: a third of the cost of a list
 * (npm run bench -- http).
 */
export class LazyContext implements RequestContext {
  readonly #toRequest: () => Request
  #request: Request | undefined

  constructor(toRequest: () => Request) {
    this.#toRequest = toRequest
  }

  get request(): Request {
    this.#request ??= this.#toRequest()
    return this.#request
  }
}
