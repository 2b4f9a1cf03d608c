import { quiet, startWorker } from './workerd-start.ts'

/** Serves the store of the adapter tests in workerd. */
export async function start() {
  const entry = new URL('workerd-contract-worker.ts', import.meta.url)
  const { url, stop } = await startWorker(entry, quiet)
  return { url, stop }
}
