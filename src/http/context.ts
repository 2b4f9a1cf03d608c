import { CallTimeoutError, ClientGoneError } from '../errors.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { codeOf } from '../lib/thrown.ts'
import type { VerifierContext } from '../request-context.ts'
import type { Target } from './target.ts'

/** A request, and what the store learns about it while it is served. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly context: LazyContext
  readonly target: Target
  /** The caller that the host app names. */
  readonly caller: IncomingRequest['caller']
  owner: string | undefined
}

/**
 * Starts the exchange of a request.
 *
 * @param caller default: that of the request
 */
export function createExchange(
  request: IncomingRequest,
  target: Target,
  caller: IncomingRequest['caller'] = request.caller,
): Exchange {
  return { request, context: new LazyContext(request), target, caller, owner: undefined }
}

/**
 * A call of a verifier or a storage, with a time limit. Its signal is built when it is first read. A class, since V8 gives
 * each object literal with a getter another hidden class, which keeps all that the getter refers to until a full
 * garbage collection (test/bench/README.md).
 */
export class TimedCall {
  readonly #outer: { readonly signal: AbortSignal } | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined
  #timeout: CallTimeoutError | undefined

  /** @param outer the call that this one is part of */
  constructor(outer?: { readonly signal: AbortSignal }) {
    this.#outer = outer
  }

  /** Whether the signal was read, so that work may have ended because of it. */
  get isSignalRead(): boolean {
    return this.#signal !== undefined
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal()
    return this.#signal
  }

  /**
   * Rejects with a CallTimeoutError when the result takes too long, and aborts the signal.
   *
   * @param whenSettled called when the result has settled, however late
   * @param timeLeft less than `timeoutMs` after a wait, in ms
   */
  limit<T>(
    result: Promise<T>,
    timeoutMs: number,
    whenSettled?: () => void,
    timeLeft = timeoutMs,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#timeout = new CallTimeoutError(timeoutMs, result)
        reject(this.#timeout)
        this.#controller?.abort(this.#timeout)
      }, timeLeft)
      result.then(
        (value) => {
          clearTimeout(timer)
          whenSettled?.()
          resolve(value)
        },
        (error) => {
          clearTimeout(timer)
          whenSettled?.()
          reject(error)
        },
      )
    })
  }

  /** Throws the CallTimeoutError of a call whose time is up. */
  assertInTime(): void {
    if (this.#timeout) throw this.#timeout
  }

  protected outerSignal(): AbortSignal | undefined {
    return this.#outer?.signal
  }

  #createSignal(): AbortSignal {
    if (this.#timeout) return AbortSignal.abort(this.#timeout)
    this.#controller = new AbortController()
    const outer = this.outerSignal()
    return outer ? AbortSignal.any([outer, this.#controller.signal]) : this.#controller.signal
  }
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

/**
 * Begins to watch the connection, before a wait for a result that nobody needs if the client disconnects. Deno's signal misses
 * a disconnect that comes before it was first read. There it costs as much as the rest of a list, so results that are there
 * don't pay for it (npm run bench -- runtimes).
 */
export function watchConnection(request: IncomingRequest): void {
  request.isAborted?.()
}

/** Throws a ClientGoneError when the client has disconnected. */
export function assertConnected(request: IncomingRequest): void {
  if (request.isAborted?.()) throw new ClientGoneError('The client has disconnected')
}

/**
 * Whether work has ended because the client disconnected: the store ended it, or a storage or verifier whose signal was
 * aborted.
 *
 * @param error the cause of the failure. The store's own refusals have none, and don't pay for Deno's signal
 */
export function isClientGone({ request, context }: Exchange, error: unknown): boolean {
  if (error === undefined) return false
  if (error instanceof ClientGoneError) return true
  const isSignalAborted = () => context.isSignalRead && context.signal.aborted
  if (!(request.isAborted ?? isSignalAborted)()) return false
  return isAbort(error, context) || error === request.toSignal?.().reason
}

/** Whether a call, whose signal is aborted, has failed because of that. */
export function isAbort(error: unknown, { isSignalRead }: { isSignalRead: boolean }): boolean {
  const { name, cause } = Object(error) as { name?: unknown; cause?: { name?: unknown } | null }
  if (name === 'AbortError' || cause?.name === 'AbortError') return true
  // Some clients reject with another error if the abort comes in the middle of a response.
  return isSignalRead && codeOf(error) === 'storage_unavailable'
}
