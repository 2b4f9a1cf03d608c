import type { IncomingRequest } from '../incoming-request.ts'
import type { RequestContext } from '../request-context.ts'
import type { RoutePath } from '../response-event.ts'

/** A request, and what the store learns about it while it is served. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: RequestContext
  readonly route: RoutePath | undefined
  /** Without the question mark. */
  readonly query: string
  /** The last segment of the path, if the route has an id. */
  readonly id: string | undefined
  /** The methods that the path supports, if it doesn't support this one. */
  readonly allow: string | undefined
  owner: string | undefined
  /** Whether the verifier or the storage was waited for, so that the client may have disconnected. */
  hasWaited: boolean
  /** Whether a list is read on, so that refusing a call would break it. */
  hasBegun: boolean
}

/** What the route of a request tells. */
export type ExchangeRoute = Partial<Pick<Exchange, 'route' | 'query' | 'id' | 'allow'>>

/** Starts the exchange of a request. */
export function createExchange(
  request: IncomingRequest,
  { route, query = '', id, allow }: ExchangeRoute = {},
): Exchange {
  return {
    request,
    context: new LazyContext(request),
    route,
    query,
    id,
    allow,
    owner: undefined,
    hasWaited: false,
    hasBegun: false,
  }
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
