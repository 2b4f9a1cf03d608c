/** For how long an owner whose write was refused is isolated, in ms. */
const ISOLATED_MS = 10_000
const MAX_ISOLATED = 1000

/** Decides whose writes may share a commit: those of an isolated owner, or of all the others. */
export function createIsolatedOwners() {
  /** Owners who share commits with no other, and until when. */
  const isolated = new Map<string, number>()

  return {
    /** Returns the owner if they are isolated, or undefined. */
    isolatedOwner(owner: string, now: number): string | undefined {
      return (isolated.get(owner) ?? 0) > now ? owner : undefined
    },
    isolate(owner: string): void {
      if (isolated.size >= MAX_ISOLATED) isolated.clear()
      isolated.set(owner, performance.now() + ISOLATED_MS)
    },
  }
}
