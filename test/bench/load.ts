import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadResult, Work } from './load-process.ts'
import { ask, start, stop } from './processes.ts'

/** The load: a process of its own, on another core than the servers. */
export interface Load {
  run(work: Work): Promise<LoadResult>
  stop(): Promise<void>
}

export function startLoad(): Load {
  const script = fileURLToPath(new URL('load-process.ts', import.meta.url))
  const child: ChildProcess = start('load', process.execPath, [script], { ipc: true })
  return {
    async run(work) {
      const result = await ask<LoadResult>(child, { what: 'run', work })
      if (result.unexpected > 0) {
        throw new Error(`${result.unexpected} answers to ${work.kind} were not what they must be`)
      }
      return result
    },
    stop: () => stop(child),
  }
}
