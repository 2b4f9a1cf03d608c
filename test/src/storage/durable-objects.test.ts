import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/index.ts'
import { startStorages, testInWorkerd } from '../../runtimes/workerd-storage.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { folderOfTests } from '../../shared/temporary-folder.ts'

describe('plants in Durable Objects', () => {
  const directory = folderOfTests()
  let workerd: Awaited<ReturnType<typeof startStorages>>
  let storage: PlantStorage

  beforeAll(start)
  afterAll(() => workerd.stop())

  async function start() {
    workerd = await startStorages(directory)
    storage = workerd.storage('durable-objects')
  }

  testInWorkerd((...rule) => workerd.check('durable-objects', ...rule))

  it('are there when the objects start again', async () => {
    const plant = { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' }
    await storage.create('reopened', plant)
    await storage.create('reopened', { id: -(2n ** 63n), name: '' })
    await workerd.stop()

    await start()
    const plants = await storage.list('reopened', { limit: 500 })
    expect(plants).toEqual([{ id: -(2n ** 63n), name: '' }, plant])
    expect(await storage.create('reopened', plant)).toBe(false)
  })

  it('are one page of any size that the store asks for', async () => {
    // 512 plants of 16 KiB, in characters of two bytes.
    const name = 'ł'.repeat(8 * 1024)
    const plants = Array.from({ length: 512 }, (_, id) => ({
      id: BigInt(id),
      name: `${id}${name}`,
    }))
    for (const plant of plants) await storage.create('large', plant)
    expect(await storage.list('large', { limit: 512 })).toEqual(plants)
  })

  it('are not said to be deleted when a trigger of a subclass has kept them', async () => {
    expect(await storage.create('keeper', { id: 1n, name: 'Fern' })).toBe(true)
    await expect(storage.delete('keeper', 1n)).rejects.toThrow('SQLite ignored the delete')
    expect(await storage.delete('keeper', 2n)).toBe(false)
    expect(await storage.list('keeper', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
  })

  it('that a trigger of a subclass refuses are not unavailable, whatever its message', async () => {
    const failure = await failureOf(storage.create('refused', { id: 1n, name: 'Fern' }))
    expect(failure).not.toBeInstanceOf(StorageUnavailableError)
    expect(failure.message).toContain('quota exceeded')
  })

  it('are gone, and can be created again, when a subclass has called deleteAll()', async () => {
    await storage.create('emptied', { id: 1n, name: 'Fern' })
    expect(await storage.delete('emptied', 1n)).toBe(true)
    expect(await storage.list('emptied', { limit: 2 })).toEqual([])
    expect(await storage.create('emptied', { id: 1n, name: 'Moss' })).toBe(true)
  })

  it('need a binding, and the message says where to name it', async () => {
    const listing = workerd.storage('durable-objects without binding').list('alice', { limit: 1 })
    await expect(listing).rejects.toThrow(
      /^TypeError: .* needs a Durable Object binding.* Name .* under durable_objects .*; got undefined/,
    )
  })

  it('are unavailable while their object is reset, and available afterwards', async () => {
    await storage.create('reset', { id: 7n, name: 'Monstera' })
    await expect(storage.delete('reset', 7n)).rejects.toThrow(StorageUnavailableError)

    expect(await storage.list('reset', { limit: 1 })).toEqual([{ id: 7n, name: 'Monstera' }])
    const listing = storage.list('reset by a list', { limit: 1 })
    await expect(listing).rejects.toThrow(StorageUnavailableError)
  })
})
