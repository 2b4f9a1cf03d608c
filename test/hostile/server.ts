// The program under attack: `server.ts <name of a file in servers/>`.
import { answerParent } from '../shared/answer-parent.ts'
import { counts, store } from './store.ts'

/** A server's report about itself, after a forced garbage collection. */
export interface Report {
  /** Unhandled rejections and uncaught exceptions so far. */
  unhandled: string[]
  /** With the buffers that it holds. */
  heapBytes: number
  rssBytes: number
  /** The greatest RSS since the start. */
  peakBytes: number
  /** The number of calls of the storage's `list`. */
  reads: number
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
    heapBytes: heapUsed + external,
    rssBytes: rss,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    reads: counts.reads,
  }
}

process.on('unhandledRejection', (error) => {
  unhandled.push(describe(error))
})
process.on('uncaughtExceptionMonitor', (error) => process.send!({ error: describe(error) }))

const { listen } = await import(`./servers/${process.argv[2]}.ts`)
const port: number = await listen(store)
answerParent({ port: () => port, report })
