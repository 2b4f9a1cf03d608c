import type { StorageCall } from '../plant-storage.ts'

/**
 * The signal of a call, built when it is first read. A class, since V8 gives each object literal with a getter a hidden
 * class of its own. That keeps all that the getter refers to until a full garbage collection: a third of the cost of a
 * list (npm run bench -- http).
 */
export class CallSignal implements StorageCall {
  readonly #outer: StorageCall | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined
  #reason: unknown

  /** @param outer the call that this one is part of */
  constructor(outer?: StorageCall) {
    this.#outer = outer
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#build()
    return this.#signal
  }

  abort(reason: unknown): void {
    this.#reason = reason
    this.#controller?.abort(reason)
  }

  protected outerSignal(): AbortSignal | undefined {
    return this.#outer?.signal
  }

  #build(): AbortSignal {
    if (this.#reason !== undefined) return AbortSignal.abort(this.#reason)
    this.#controller = new AbortController()
    const outer = this.outerSignal()
    return outer ? AbortSignal.any([outer, this.#controller.signal]) : this.#controller.signal
  }
}
