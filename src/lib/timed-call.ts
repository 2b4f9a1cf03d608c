import { CallTimeoutError } from '../errors.ts'
import type { MaybePromise } from './promises.ts'

interface OuterCall {
  readonly signal: AbortSignal
}

/**
 * A call with a time limit. Its signal is built when it is first read. A class, since V8 gives each object literal with a
 * getter a hidden class of its own. That keeps all that the getter refers to until a full garbage collection: a third of
 * the cost of a list (npm run bench -- http).
 */
export class TimedCall {
  readonly isLaterPage: boolean
  readonly #outer: OuterCall | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined
  #timeout: CallTimeoutError | undefined

  /**
   * @param outer the call that this one is part of
   * @param isLaterPage whether it reads a page of a list that has begun
   */
  constructor(outer?: OuterCall, isLaterPage = false) {
    this.#outer = outer
    this.isLaterPage = isLaterPage
  }

  get hasTimedOut(): boolean {
    return this.#timeout !== undefined
  }

  /** Whether anybody has the signal, so that work may have ended because of it. */
  get isSignalRead(): boolean {
    return this.#signal !== undefined
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal()
    return this.#signal
  }

  /** Returns a value as it is. A promise that takes too long rejects, and the signal is aborted. */
  limit<T>(result: MaybePromise<T>, timeoutMs: number): MaybePromise<T> {
    if (!(result instanceof Promise)) return result
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#timeout = new CallTimeoutError(timeoutMs, result)
        reject(this.#timeout)
        this.#controller?.abort(this.#timeout)
      }, timeoutMs)
      result.finally(() => clearTimeout(timer)).then(resolve, reject)
    })
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
