import { quiet, startWorker } from './workerd-start.ts'

/** Serves the store of the contract in workerd, on a socket. */
export function start(): Promise<{ url: string; stop(): Promise<void> }> {
  return startWorker(new URL('workerd-contract-worker.ts', import.meta.url), quiet)
}
