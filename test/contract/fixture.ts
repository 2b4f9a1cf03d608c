import {
  type AuthVerifier,
  createPlantStore,
  type PlantStorage,
  type PlantStore,
  StorageUnavailableError,
  type StoredPlant,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** How long the fixture's store waits for its verifier and its storage. */
const TIMEOUT_MS = 300

/**
 * The store that the contract suite expects behind every host. Runs in every runtime.
 *
 * - The token `owner-NAME` opens NAME's plants; `reader-NAME` and `writer-NAME` with one scope only.
 * - The owners `unreachable`, `buggy` and `hanging` have a storage that fails in that way, and the
 *   tokens `broken` and `silent` a verifier that does. The list of `breaking` fails after its first
 *   page; the list of `endless` has no end.
 */
export function createContractStore(): PlantStore {
  return createPlantStore(failing(memoryStorage()), verify, {
    timeoutMs: TIMEOUT_MS,
    onError: () => {},
  })
}

const verify: AuthVerifier = (token) => {
  if (token === 'broken') throw new Error('The identity provider is down')
  if (token === 'silent') return new Promise(() => {})
  const [, kind, owner = ''] = /^(owner|reader|writer)-(.+)$/.exec(token) ?? []
  if (kind === 'owner') return { owner }
  if (kind === 'reader') return { owner, scopes: ['plants:read'] }
  if (kind === 'writer') return { owner, scopes: ['plants:write'] }
  return null
}

function failing(storage: PlantStorage): PlantStorage {
  const failures: Record<string, () => never | Promise<never>> = {
    unreachable: () => {
      throw new StorageUnavailableError('The database is down')
    },
    buggy: () => {
      throw new Error('relation "plants" does not exist')
    },
    hanging: () => new Promise(() => {}),
  }
  return {
    create: (owner, plant) => failures[owner]?.() ?? storage.create(owner, plant),
    delete: (owner, id) => failures[owner]?.() ?? storage.delete(owner, id),
    list(owner, page) {
      if (owner === 'endless') return numbered(page)
      if (owner === 'breaking') return page.after === undefined ? numbered(page) : failures.buggy!()
      return failures[owner]?.() ?? storage.list(owner, page)
    },
  }
}

function numbered({ after = 0n, limit }: { after?: bigint; limit: number }): StoredPlant[] {
  return Array.from({ length: limit }, (_, index) => {
    const id = after + BigInt(index + 1)
    return { id, name: `Plant ${id}` }
  })
}
