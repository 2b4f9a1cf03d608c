import { mayWaitForOthers } from './may-wait-for-others.ts'

/** Runs a task in its turn. Settles as the task does. */
export type RunTask = <T>(task: () => Promise<T>) => Promise<T>

/** Creates a queue that runs at most `maxInFlight` tasks at once, in order of arrival. In a Worker, it runs all. */
export function createTaskQueue(maxInFlight: number): RunTask {
  const max = mayWaitForOthers() ? maxInFlight : Number.POSITIVE_INFINITY
  const waiting: (() => void)[] = []
  let inFlight = 0

  return async (task) => {
    if (inFlight < max) inFlight++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inFlight--
    }
  }
}
