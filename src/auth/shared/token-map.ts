import { hashToken, tokenSums } from '../../http/token-hash.ts'

/** A map keyed by token that stores hashes of the tokens instead of the tokens. */
export interface TokenMap<Value> {
  get(token: string): Value | undefined
  set(token: string, value: Value): void
  clear(): void
}

interface Entry<Value> {
  second: number
  third: number
  value: Value
  next: Entry<Value> | undefined
}

/** Creates a TokenMap that keeps the newest `maxEntries` entries. */
export function createTokenMap<Value>(maxEntries: number): TokenMap<Value> {
  // Keyed by the first sum. Entries whose first sums are equal form a linked list.
  const entries = new Map<number, Entry<Value>>()
  // The first sums in order of insertion. The first key of a Map is the oldest too, but V8 finds it by walking
  // over all the keys that were deleted before it: 7 µs among 10 000 keys, for 0.1 µs with this list (200 000
  // calls in a loop).
  const order: number[] = []
  let oldest = 0

  return {
    get: (token) => (hashToken(token) ? find()?.value : undefined),
    set(token, value) {
      if (!hashToken(token)) return
      const entry = find()
      if (entry) entry.value = value
      else add(value)
    },
    clear() {
      entries.clear()
      order.length = 0
      oldest = 0
    },
  }

  function find(): Entry<Value> | undefined {
    let entry = entries.get(tokenSums[0]!)
    while (entry && (entry.second !== tokenSums[1] || entry.third !== tokenSums[2]))
      entry = entry.next
    return entry
  }

  function add(value: Value): void {
    const first = tokenSums[0]!
    if (order.length === maxEntries) {
      entries.delete(order[oldest]!)
      order[oldest] = first
      oldest = (oldest + 1) % maxEntries
    } else {
      order.push(first)
    }
    entries.set(first, {
      second: tokenSums[1]!,
      third: tokenSums[2]!,
      value,
      next: entries.get(first),
    })
  }
}
