import type { IncomingRequest } from '../incoming-request.ts'
import type { RequestContext } from '../request-context.ts'
import type { Target } from './routes.ts'

/** A request, and what the store learns about it while it is served. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: RequestContext
  readonly target: Target
  owner: string | undefined
  /** Whether the verifier or the storage was waited for, so that the client may have disconnected. */
  hasWaited: boolean
  /** Whether a list is read on, so that refusing a call would break it. */
  hasBegun: boolean
}

/** Starts the exchange of a request. */
export function createExchange(request: IncomingRequest, target: Target = { query: '' }): Exchange {
  const context = new LazyContext(request)
  return { request, context, target, owner: undefined, hasWaited: false, hasBegun: false }
}

/**
 * The context of a request. Builds the Request when it is first read. A class, since V8 gives each object literal with a
 * getter a hidden class of its own. That keeps all that the getter refers to until a full garbage collection: a third of
 * the cost of a list (npm run bench -- http).
 */
export class LazyContext implements RequestContext {
  readonly #source: Pick<IncomingRequest, 'toRequest'>
  #request: Request | undefined

  constructor(source: Pick<IncomingRequest, 'toRequest'>) {
    this.#source = source
  }

  get request(): Request {
    this.#request ??= this.#source.toRequest()
    return this.#request
  }
}
