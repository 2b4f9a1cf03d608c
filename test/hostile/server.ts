// The program under attack: `server.ts <name of a file in servers/>`. It prints one JSON line for its
// port, one for each `report` that it reads from stdin, and one when an uncaught exception ends it.
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

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

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
process.on('uncaughtExceptionMonitor', (error) => print({ died: describe(error) }))

process.stdin.setEncoding('utf8').on('data', (text) => {
  for (const _ of String(text).matchAll(/^report$/gm)) print(report())
})
// The parent has ended.
process.stdin.on('end', () => process.exit())
// A program that waits for commands would stay alive after SIGTERM.
if ('unref' in process.stdin) process.stdin.unref()

const { listen } = await import(`./servers/${process.argv[2]}.ts`)
print({ port: await listen(store) })
