// The program under attack: `server.ts <name of a server, as servers.ts takes it>`.
import { answerParent } from '../shared/answer-parent.ts'
import { openFiles } from '../shared/open-files.ts'
import { startServer } from './servers.ts'
import { store } from './store.ts'

const MiB = 2 ** 20

/** A server's report about itself, after a forced garbage collection. */
export interface Report {
  /** Unhandled rejections so far. */
  unhandled: string[]
  /** With the buffers that it holds. */
  heapMiB: number
  rssMiB: number
  /** Its open files and connections, on Linux. */
  descriptors: number
}

const unhandled: string[] = []

function describe(error: unknown): string {
  try {
    return String((error as Error)?.stack ?? error)
  } catch {
    return 'an error that cannot be printed'
  }
}

function report(): Report {
  // The collection that V8 does before it gives up returns the most to the system.
  ;(globalThis as any).gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    unhandled,
    heapMiB: Math.round((heapUsed + external) / MiB),
    rssMiB: Math.round(rss / MiB),
    descriptors: openFiles().length,
  }
}

process.on('unhandledRejection', (error) => {
  unhandled.push(describe(error))
})
process.on('uncaughtExceptionMonitor', (error) => process.send!({ error: describe(error) }))

const port = await startServer(process.argv[2]!, store)
answerParent({ port: () => port, report })
