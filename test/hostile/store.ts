import { type AuthVerifier, createPlantStore, type PlantStorage } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { longList } from '../shared/plants.ts'

/** Less than the default of 30 s, so that what waits for `never` is over soon after its batch. */
const TIMEOUT_MS = 1000
/** Larger names are not kept: they would fill the memory that is measured, and every list. */
const MAX_NAME_LENGTH = 1000

/** The behaviour of the verifier, by token. Any other token is unknown. */
const behaviours: Record<string, AuthVerifier> = {
  /** The good client's: its owner has one plant. */
  good: () => ({ owner: 'good' }),
  /** Its owner has 300 000 plants. */
  many: () => ({ owner: 'many' }),
  now: () => ({ owner: 'now' }),
  later: async () => ({ owner: 'later' }),
  late: async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { owner: 'late' }
  },
  never: () => new Promise(() => {}),
  throws: () => {
    throw unprintableError()
  },
  rejects: async () => {
    throw new Error('The verifier is broken')
  },
  nonsense: () => 'yes' as any,
  'reads-request': (_token, context) => {
    const { headers, url } = context.request
    return { owner: headers.get('host') === url ? 'nobody' : 'reads-request' }
  },
  'storage-throws': () => ({ owner: 'storage-throws' }),
  'storage-never': () => ({ owner: 'storage-never' }),
}

/** Answers at once, late, never or by throwing, as the token says. */
export const verify: AuthVerifier = (token, context) => behaviours[token]?.(token, context) ?? null

const memory = memoryStorage()
const many = longList(300_000)
await memory.create('good', { id: 1n, name: 'Monstera' })

/** A storage in memory with faults and 300 000 plants for some owners. */
export const storage: PlantStorage = {
  create(owner, plant) {
    if (owner === 'storage-throws') throw new Error('The storage is broken')
    return plant.name.length > MAX_NAME_LENGTH ? true : memory.create(owner, plant)
  },
  list(owner, query) {
    if (owner === 'storage-throws') throw new Error('The storage is broken')
    if (owner === 'storage-never') return new Promise(() => {})
    return owner === 'many' ? many.list(owner, query) : memory.list(owner, query)
  },
  delete: (owner, id) => memory.delete(owner, id),
}

/** The store under attack, with the default `onError`. Its bodies may cost much. */
export const store = createPlantStore(storage, verify, {
  timeoutMs: TIMEOUT_MS,
  maxBodyBytes: 2 ** 20,
})

function unprintableError(): Error {
  return Object.defineProperty(new Error('Unprintable'), 'stack', {
    get() {
      throw new Error('The stack cannot be read')
    },
  })
}
