import { LRUCache } from 'lru-cache'
import { type AuthVerifier, type Caller, limitCalls } from 'plant-store'

/** A token that is revoked is accepted for up to a minute. */
export function cached(verify: AuthVerifier): AuthVerifier {
  const callers = new LRUCache<string, Caller>({ max: 10_000, ttl: 60_000 })
  const ask = limitCalls(verify, { maxConcurrentCalls: 20 })
  return async (token, context) => {
    const known = callers.get(token)
    if (known) return known
    const caller = await ask(token, context)
    if (caller) callers.set(token, caller)
    return caller
  }
}
