import type { IncomingRequest } from '../incoming-request.ts'
import type { RequestContext } from '../request-context.ts'
import type { RoutePath } from './routes.ts'

/** A request, and what the store learns of it on the way to its reply. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: RequestContext
  readonly route: RoutePath | undefined
  owner?: string
}

/** Creates the context of a request. Building its Request takes longer than the rest of a list. */
export function createContext(incoming: IncomingRequest): RequestContext {
  let request: Request | undefined
  return {
    get request() {
      request ??= incoming.toRequest()
      return request
    },
  }
}
