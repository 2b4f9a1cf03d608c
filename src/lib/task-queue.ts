import { mayWaitForOthers } from './may-wait-for-others.ts'
import { addTo, type OwnerLines, takeNext } from './owner-lines.ts'

/** Runs a task in its turn. Settles as the task does. Owners take turns. */
export type RunTask = <T>(task: () => Promise<T>, owner?: string) => Promise<T>

/** Creates a queue that runs at most `maxInFlight` tasks at once, an owner's in order of arrival. In a Worker, it runs all. */
export function createTaskQueue(maxInFlight: number): RunTask {
  const max = mayWaitForOthers() ? maxInFlight : Number.POSITIVE_INFINITY
  const waiting: OwnerLines<() => void> = new Map()
  let inFlight = 0

  return async (task, owner) => {
    if (inFlight < max) inFlight++
    else await new Promise<void>((resolve) => addTo(waiting, owner, resolve))
    try {
      return await task()
    } finally {
      const next = takeNext(waiting, (line) => line.shift())
      if (next) next()
      else inFlight--
    }
  }
}
