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
  if (!isProbe || (method !== 'GET' && method !== 'HEAD')) return undefined
  const reply = (status: number) => ({
    status,
    headers: { 'cache-control': 'no-store' },
    body: null,
  })
  try {
    if (url === '/readyz') await storage.list('readyz', { limit: 1 })
    return reply(200)
  } catch {
    return reply(503)
  }
}
