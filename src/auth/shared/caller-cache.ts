import type { Caller } from '../../auth-verifier.ts'

const MAX_ENTRIES = 10_000

/** A caller, and the time in ms since 1970 from which on the token is no good. */
interface Verdict {
  caller: Caller
  until: number
}

/**
 * Makes a function that asks about a token, unless the answer is known or on its way. Callers are kept
 * for `ttl` ms and never beyond the token's end; what is not valid, and failures, are not kept.
 */
export function createCallerCache(ttl: number) {
  const known = new Map<string, Verdict & { since: number }>()
  const asked = new Map<string, Promise<Caller | null>>()

  return async (token: string, ask: () => Promise<Verdict | null>): Promise<Caller | null> => {
    // Whoever reads the memory finds no tokens.
    const key = await sha256(token)
    return find(key) ?? asked.get(key) ?? share(key, askAndKeep(key, ask))
  }

  function find(key: string): Caller | undefined {
    const verdict = known.get(key)
    const now = Date.now()
    // A clock that was set back must not make it last longer.
    if (verdict && verdict.since <= now && now < verdict.until) return verdict.caller
    known.delete(key)
    return undefined
  }

  async function askAndKeep(key: string, ask: () => Promise<Verdict | null>) {
    const verdict = await ask()
    const now = Date.now()
    if (!verdict || verdict.until <= now) return null
    if (ttl > 0) keep(key, verdict, now)
    return verdict.caller
  }

  function keep(key: string, { caller, until }: Verdict, now: number): void {
    known.set(key, { caller, since: now, until: Math.min(until, now + ttl) })
    // A Map keeps the order of insertion: the first is the oldest.
    if (known.size > MAX_ENTRIES) known.delete(known.keys().next().value!)
  }

  function share(key: string, answer: Promise<Caller | null>): Promise<Caller | null> {
    // A Worker must not wait for what another request of its does: that one may be cancelled.
    if (globalThis.navigator?.userAgent === 'Cloudflare-Workers') return answer
    asked.set(key, answer)
    return answer.finally(() => asked.delete(key))
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
