import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createPlantStore, RateLimitedError, StorageUnavailableError } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'

// In milliseconds, not seconds.
const importFile = guideFiles('docs/tasks/client.md', (code) => code.replace(' * 1000)', ')'))
let retry: <T>(call: () => Promise<T>) => Promise<T | undefined>
let createPlantClient: typeof import('../../src/client.ts').createPlantClient
beforeAll(async () => {
  ;({ retry } = await importFile('retry.ts'))
  // The built one, as the guide's file has: its errors are of the same class.
  ;({ createPlantClient } = await importFile('node_modules/plant-store/dist/src/client.js'))
})

const plant = { id: 7n, name: 'Fern' }
const LOST = new Error('ECONNRESET')

/** A client whose attempts fail one after another: the response is lost, or the storage throws. */
function unreliable(...failures: (Error | undefined)[]) {
  const storage = memoryStorage({ alice: [{ id: 1n, name: 'Moss' }] })
  let failure: Error | undefined
  const failing = {
    ...storage,
    create(...args: Parameters<typeof storage.create>) {
      if (failure && failure !== LOST) throw failure
      return storage.create(...args)
    },
  }
  const { fetch } = createPlantStore(failing, () => ({ owner: 'alice' }), { onError() {} })
  const send = vi.fn(async (request: Request) => {
    failure = failures.shift()
    const response = await fetch(request)
    if (failure === LOST) throw LOST
    return response
  })
  const client = createPlantClient({ baseUrl: 'http://localhost', token: 'any', fetch: send })
  return { client, send }
}

describe('The retry of the guide', () => {
  it('calls until a passing failure has passed', async () => {
    const { client, send } = unreliable(new StorageUnavailableError('down'), new RateLimitedError())
    expect(await retry(() => client.create(plant))).toEqual({ name: 'Fern' })
    expect(send).toHaveBeenCalledTimes(3)
  })

  it('takes a duplicate, or no plant, for done after an attempt whose response was lost', async () => {
    const creating = unreliable(LOST).client
    expect(await retry(() => creating.create(plant))).toBeUndefined()
    const deleting = unreliable(LOST).client
    expect(await retry(() => deleting.delete(1n))).toBeUndefined()
  })

  it('says that the id is taken, if no attempt can have created the plant', async () => {
    for (const { client } of [unreliable(), unreliable(new RateLimitedError())]) {
      const taken = retry(() => client.create({ id: 1n, name: 'Fern' }))
      await expect(taken).rejects.toMatchObject({ code: 'duplicate_id' })
    }
  })

  it('gives up after four attempts, and at once where nothing can pass', async () => {
    const { client, send } = unreliable(LOST, LOST, LOST, LOST)
    await expect(retry(() => client.listPage())).rejects.toMatchObject({ code: 'network_error' })
    expect(send).toHaveBeenCalledTimes(4)
    await expect(retry(() => client.delete(99n))).rejects.toMatchObject({ code: 'plant_not_found' })
    expect(send).toHaveBeenCalledTimes(5)
  })
})
