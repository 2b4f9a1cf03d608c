import { quiet, startWorker } from './workerd-start.ts'

/** Serves the store of the contract in workerd, on a socket. */
export async function start() {
  const entry = new URL('workerd-contract-worker.ts', import.meta.url)
  const { url, stop } = await startWorker(entry, quiet)
  return { url, stop, fetch: fetchAgain }
}

/**
 * workerd closes a connection after an answer that broke off, perhaps just when the next request takes
 * it. A client may then ask again what is safe to ask twice (RFC 9112, section 9.3.1).
 */
async function fetchAgain(request: Request): Promise<Response> {
  if (request.method !== 'GET') return fetch(request)
  return fetch(request.clone()).catch(() => fetch(request))
}
