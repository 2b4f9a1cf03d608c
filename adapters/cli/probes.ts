import type { IncomingRequest, PlantStorage, Reply } from '../../src/index.ts'

/**
 * Answers the probes of Kubernetes and others: GET and HEAD of `/livez` are 200 while the process responds, and those of
 * `/readyz` while the storage does.
 */
export async function serveProbe(
  { method, url }: IncomingRequest,
  storage: PlantStorage,
): Promise<Reply | undefined> {
  const isProbe = url === '/livez' || url === '/readyz'
  if (!isProbe || !/^(?:GET|HEAD)$/.test(method)) return undefined
  const headers = { 'cache-control': 'no-store' }
  try {
    if (url === '/readyz') await storage.list('readyz', { limit: 1 })
    return { status: 200, headers, body: null }
  } catch {
    return { status: 503, headers, body: null }
  }
}
