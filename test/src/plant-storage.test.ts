import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { PageQuery, PlantStorage, StoredPlant } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { testPlantStorage } from '../../src/testing.ts'

type Counted = (storage: PlantStorage, onCreate: () => void) => PlantStorage

/** The wrapper in the doc comment of `PlantStorage`, as it stands there. */
const counted = readExample()

function readExample(): Counted {
  const source = readFileSync(new URL('../../src/plant-storage.ts', import.meta.url), 'utf8')
  const [, comment] = /```ts\n([\s\S]*?) \* ```/.exec(source)!
  const code = stripTypeScriptTypes(comment!.replaceAll(/^ \* ?/gm, ''))
  return new Function(`${code}\nreturn counted`)()
}

/** A storage with state that only `this` can reach. */
class ClassStorage implements PlantStorage {
  readonly #plants = memoryStorage()
  isClosed = false

  create(owner: string, plant: StoredPlant) {
    return this.#plants.create(owner, plant)
  }

  list(owner: string, query: PageQuery) {
    return this.#plants.list(owner, query)
  }

  delete(owner: string, id: bigint) {
    return this.#plants.delete(owner, id)
  }

  close(): void {
    this.isClosed = true
  }
}

describe('the documented wrapper around a class instance', () => {
  testPlantStorage({ describe, it }, () => counted(new ClassStorage(), () => {}))

  it('adds its behaviour', async () => {
    let creates = 0
    const storage = counted(new ClassStorage(), () => creates++)
    await storage.create('alice', { id: 1n, name: 'Fern' })
    await storage.create('alice', { id: 1n, name: 'Fern' })
    expect(creates).toBe(1)
  })

  it('closes the storage inside it, if that has close', async () => {
    const storage = new ClassStorage()
    await counted(storage, () => {}).close?.()
    expect(storage.isClosed).toBe(true)
    await counted(memoryStorage(), () => {}).close?.()
  })
})
