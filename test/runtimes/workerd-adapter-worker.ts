// A Worker for the tests of the adapter: an endless list, a slow owner, failing deletes, and what it has seen at /seen.

import { toWorker, type Worker } from '../../adapters/workers.ts'
import { createPlantStore, type PlantStorage } from '../../src/index.ts'

const seen = {
  stores: 0,
  told: 0,
  cf: {} as Record<string, unknown>,
  pages: [] as number[],
}

const storage: PlantStorage = {
  async create(owner) {
    if (owner === 'slow') await pause()
    return true
  },

  async list(owner, { after, limit }) {
    if (owner === 'slow') await pause()
    if (owner === 'paged') seen.pages.push(limit)
    if (['slow', 'paged'].includes(owner) && after !== undefined && after > 100n) return []
    if (owner === 'unlucky' && after !== undefined) throw new Error('The storage has a bug')
    const name = 'Monstera deliciosa'.repeat(30)
    return Array.from({ length: limit }, (_, i) => ({ id: (after ?? 0n) + BigInt(i + 1), name }))
  },

  delete() {
    throw new Error('The storage has a bug')
  },
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

const worker = toWorker(() => {
  seen.stores++
  return createPlantStore(
    storage,
    (owner, { request }) => {
      Object.assign(seen.cf, { [request.method]: (request as { cf?: unknown }).cf })
      return { owner }
    },
    {
      onError: async () => {
        await pause()
        seen.told++
      },
    },
  )
})

export default {
  fetch: async (request, env, ctx) =>
    request.url.endsWith('/seen') ? Response.json(seen) : worker.fetch(request, env, ctx),
} satisfies Worker<object>
