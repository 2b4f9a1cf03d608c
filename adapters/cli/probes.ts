import type { PlantStorage, PlantStore, Reply } from '../../src/index.ts'

/**
 * Wraps a store so that it also answers the probes of Kubernetes and others: GET and HEAD of `/livez` are 200 while
 * the process responds, and those of `/readyz` while the storage does.
 */
export function withProbes<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  storage: PlantStorage,
): Store {
  return {
    ...store,
    async handle(request: Parameters<PlantStore['handle']>[0]) {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (isRead && request.url === '/livez') return text(200, 'ok')
      if (isRead && request.url === '/readyz') return readiness(storage)
      return store.handle(request)
    },
  }
}

async function readiness(storage: PlantStorage): Promise<Reply> {
  try {
    await storage.list('readyz', { limit: 1 })
    return text(200, 'ok')
  } catch {
    return text(503, 'The storage is unavailable')
  }
}

function text(status: number, body: string): Reply {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    body: `${body}\n`,
  }
}
