import type { AuthVerifier } from './auth-verifier.ts'
import { kindOf } from './lib/kind-of.ts'
import { createCallLimiter } from './overload/call-limiter.ts'
import { type OverloadOptions, readOverloadOptions } from './overload/overload-options.ts'

/**
 * Wraps a verifier of your own that asks a database or a service, so that a flood of unknown tokens doesn't pile up in front
 * of it. Put a cache around it: a token that is in the cache waits for nobody. The bundled verifiers do both already.
 *
 * Calls beyond the limit wait, each token in turn. A token can't be told from a stranger's before it has been verified, so a
 * newcomer waits beside strangers: as long as they keep the queue from getting empty, the newest calls come first, and one
 * that waits for 250 ms is refused with an error with the code `overloaded`. The client gets 503 `overloaded` with
 * `Retry-After`. A call whose client has gone is not begun.
 *
 * @param verify the verifier. It is called with the same arguments
 * @param options see `OverloadOptions`
 * @throws TypeError or RangeError when an argument or an option is wrong
 *
 * @example
 * ```ts
 * const limited: AuthVerifier = limitCalls(verify, { maxConcurrentCalls: 20 })
 * const store = createPlantStore(storage, limited)
 * ```
 */
export function limitCalls(verify: AuthVerifier, options: OverloadOptions = {}): AuthVerifier {
  if (typeof verify !== 'function') {
    throw new TypeError(`limitCalls takes a verifier, which is a function; got ${kindOf(verify)}`)
  }
  const run = createCallLimiter(readOverloadOptions('limitCalls', options)(), 'verifier')
  return (token, context) => run(token, context, () => verify(token, context))
}
