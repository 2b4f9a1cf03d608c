import { staticTokens } from '../../../src/auth/tokens.ts'
import {
  createPlantStore,
  type PlantStorage,
  type PlantStore,
  type StoredPlant,
} from '../../../src/index.ts'

/** A storage that has this many plants without keeping any, and counts how often it is read. */
export function longList(count: number, name = 'Monstera deliciosa') {
  const storage = {
    reads: 0,
    create: () => false,
    delete: () => false,
    list(_owner, { after = 0n, limit }): StoredPlant[] | Promise<StoredPlant[]> {
      storage.reads++
      const length = Math.min(limit, count - Number(after))
      return Array.from({ length }, (_, index) => ({ id: after + BigInt(index + 1), name }))
    },
  } satisfies PlantStorage & { reads: number }
  return storage
}

/** A store for the token `t` that tells when each of its streamed bodies is over, one way or the other. */
export function observedStore(storage: PlantStorage, onError: (error: unknown) => void = () => {}) {
  const store = createPlantStore(storage, staticTokens({ t: 'alice' }), { onError })
  const streams: Promise<void>[] = []

  const observed: PlantStore = {
    ...store,
    async handle(request) {
      const reply = await store.handle(request)
      if (reply?.body && typeof reply.body !== 'string') {
        const { promise, resolve } = Promise.withResolvers<void>()
        streams.push(promise)
        reply.body = tellingEnd(reply.body, resolve)
      }
      return reply
    },
  }
  return { store: observed, streams }
}

async function* tellingEnd(parts: AsyncIterable<string>, onEnd: () => void) {
  try {
    yield* parts
  } finally {
    onEnd()
  }
}
