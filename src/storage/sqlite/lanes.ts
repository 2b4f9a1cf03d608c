/** The time that the writes of an owner whose write was refused are kept apart from the others', in ms. */
const APART_MS = 10_000
const MAX_APART = 1000

/** Decides whose writes may share a commit: those of one lane, which is an owner kept apart, or all the others. */
export function createLanes() {
  /** Owners who share commits with no other, and until when. */
  const apart = new Map<string, number>()

  return {
    /** Returns the owner if they are kept apart, or undefined. */
    laneOf(owner: string, now: number): string | undefined {
      return (apart.get(owner) ?? 0) > now ? owner : undefined
    },
    keepApart(owner: string): void {
      if (apart.size >= MAX_APART) apart.clear()
      apart.set(owner, performance.now() + APART_MS)
    },
  }
}
