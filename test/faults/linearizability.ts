/** One call, and its result for one plant. Times count the events so far. */
export interface Observation {
  /** The plant. */
  id: bigint
  kind: 'create' | 'delete' | 'read'
  /** The text passed to create, or the text read. */
  name?: string | undefined
  /** The result of a create or delete. `undefined` if the call failed, so that its effect is unknown. */
  result?: boolean | undefined
  began: number
  /** Infinity if the call has not returned. */
  ended: number
}

/**
 * Finds the plants of an owner whose history is not linearizable. A history is linearizable if some order explains
 * all results, where each call takes effect between its start and its end. A call with unknown outcome
 * may take effect at any later time or never. The search is that of Wing and Gong, with Lowe's cache of
 * failed states.
 *
 * @returns the observations of each plant that no order explains
 */
export function findUnexplained(history: Observation[]): Observation[][] {
  return [...Map.groupBy(history, ({ id }) => id).values()].filter(
    (ofOnePlant) => !hasOrder(ofOnePlant),
  )
}

function hasOrder(observations: Observation[]): boolean {
  const calls = observations.toSorted((a, b) => a.began - b.began)
  const failed = new Set<string>()
  return search(0n, undefined)

  /** `done` has a bit for each call already placed. `present` is the name stored at that point. */
  function search(done: bigint, present: string | undefined): boolean {
    let next = possibleNext(calls, done)
    // Place the calls that fit and change nothing first. Placing them later can't help.
    for (;;) {
      const index = next.find((index) => fitsUnchanged(calls[index]!, present))
      if (index === undefined) break
      done |= bit(index)
      next = possibleNext(calls, done)
    }
    if (next.every((index) => calls[index]!.ended === Infinity)) return true

    const state = `${done} ${present}`
    if (failed.has(state)) return false
    for (const index of next) {
      const call = calls[index]!
      if (!fitsChanging(call, present)) continue
      if (search(done | bit(index), call.kind === 'create' ? call.name : undefined)) return true
    }
    failed.add(state)
    return false
  }
}

/** Returns the calls that may come next: those that began before the first remaining one ended. */
function possibleNext(calls: Observation[], done: bigint): number[] {
  const left = [...calls.keys()].filter((index) => !(done & bit(index)))
  const firstEnd = Math.min(...left.map((index) => calls[index]!.ended))
  return left.filter((index) => calls[index]!.began < firstEnd)
}

function bit(index: number): bigint {
  return 1n << BigInt(index)
}

function fitsUnchanged({ kind, name, result }: Observation, present: string | undefined): boolean {
  if (kind === 'read') return name === present
  return result === false && (kind === 'create') === (present !== undefined)
}

function fitsChanging({ kind, result }: Observation, present: string | undefined): boolean {
  return kind !== 'read' && result !== false && (kind === 'create') === (present === undefined)
}
