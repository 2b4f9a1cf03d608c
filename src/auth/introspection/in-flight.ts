/** Runs a task, or shares the result of the one in flight for the same key. */
export type ShareInFlight<Result> = (key: string, task: () => Promise<Result>) => Promise<Result>

export function createShareInFlight<Result>(): ShareInFlight<Result> {
  const inFlight = new Map<string, Promise<Result>>()

  return (key, task) => {
    const shared = inFlight.get(key)
    if (shared) return shared
    const result = task().finally(() => inFlight.delete(key))
    inFlight.set(key, result)
    return result
  }
}
