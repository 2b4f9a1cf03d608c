import type { IncomingRequest } from '../incoming-request.ts'
import { TimedCall } from '../lib/timed-call.ts'
import type { VerifierContext } from '../request-context.ts'
import type { Target } from './routes.ts'

/** A request, and what the store learns about it while it is served. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: LazyContext
  readonly target: Target
  owner: string | undefined
}

/** Starts the exchange of a request. */
export function createExchange(request: IncomingRequest, target: Target = { query: '' }): Exchange {
  return { request, context: new LazyContext(request), target, owner: undefined }
}

/** The context of a request. Builds the Request and the signal when they are first read. */
export class LazyContext extends TimedCall implements VerifierContext {
  readonly #source: Pick<IncomingRequest, 'toRequest' | 'toSignal'>
  #request: Request | undefined
  /** Why the verifier refused the token. */
  reason: string | undefined

  constructor(source: Pick<IncomingRequest, 'toRequest' | 'toSignal'>) {
    super()
    this.#source = source
  }

  get request(): Request {
    this.#request ??= this.#source.toRequest()
    return this.#request
  }

  /** A getter, so that verifiers may destructure their context. */
  get refuse(): (reason: string) => null {
    return (reason) => {
      // JavaScript callers may pass an error.
      this.reason = reason === undefined ? undefined : String(reason)
      return null
    }
  }

  protected override outerSignal(): AbortSignal | undefined {
    // A framework's own Request may lack the signal.
    return this.#source.toSignal?.() ?? this.request.signal
  }
}
