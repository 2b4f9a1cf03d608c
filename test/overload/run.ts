import type { ChildProcess } from 'node:child_process'
import { startScript } from '../bench/processes.ts'
import { ask, stop } from '../shared/processes.ts'
import type { Load, LoadSecond } from './load-process.ts'

/** One server under one load. */
export interface OverloadResult {
  seconds: LoadSecond[]
  /** How many creates the storage has done. More than were answered in time were done for nobody. */
  stored: number
}

/** Puts a server on a storage under load. */
export async function overload(
  storage: string,
  isProtected: boolean,
  phases: Load['phases'],
  patienceMs = 1000,
): Promise<OverloadResult> {
  return withServer(storage, isProtected, async (server, load, port) => {
    const seconds = await ask<LoadSecond[]>(load, { what: 'offer', port, phases, patienceMs })
    return { seconds, stored: await ask<number>(server, { what: 'stored' }) }
  })
}

/** Finds out how many creates a second a storage can do over HTTP. */
export function capacityOf(storage: string): Promise<number> {
  return withServer(storage, true, (_, load, port) => ask<number>(load, { what: 'capacity', port }))
}

async function withServer<T>(
  storage: string,
  isProtected: boolean,
  use: (server: ChildProcess, load: ChildProcess, port: number) => Promise<T>,
): Promise<T> {
  const server = startScript('server', '../overload/server-process.ts', [
    storage,
    isProtected ? '' : 'unprotected',
  ])
  const load = startScript('load', '../overload/load-process.ts')
  try {
    return await use(server, load, await ask<number>(server, { what: 'port' }))
  } finally {
    await Promise.all([stop(server), stop(load)])
  }
}
