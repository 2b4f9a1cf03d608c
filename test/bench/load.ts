import { ask, startScript, stop } from './processes.ts'

export type Kind = 'list' | 'create' | 'delete'

/** What to send: `count` requests over `connections` kept-alive connections, one after the other on each. */
export interface LoadWork {
  kind: Kind
  port: number
  connections: number
  count: number
  /** The first id that is created or deleted. */
  firstId: number
}

export interface LoadResult {
  seconds: number
  /** The median and the 99th percentile of the time to a whole response, in µs. */
  p50: number
  p99: number
  /** How much of one core the load itself took: well below 1, or it is what was measured. */
  utilization: number
  unexpected: number
}

/** The load: a process of its own, on another core than the servers. */
export interface Load {
  run(work: LoadWork): Promise<LoadResult>
  stop(): Promise<void>
}

export function startLoad(): Load {
  const child = startScript('load', 'load-process.ts')
  return {
    async run(work) {
      const result = await ask<LoadResult>(child, { what: 'run', work })
      if (result.unexpected === 0) return result
      throw new Error(`${result.unexpected} answers to ${work.kind} were not what they must be`)
    },
    stop: () => stop(child),
  }
}
