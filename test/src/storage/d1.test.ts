import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/index.ts'
import { type D1, d1Storage } from '../../../src/storage/d1.ts'
import { startStorages, testInWorkerd } from '../../runtimes/workerd-storage.ts'

describe('plants in D1', () => {
  let directory: string
  let workerd: Awaited<ReturnType<typeof startStorages>>

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plants-d1-'))
    workerd = await startStorages(directory)
  })
  afterAll(async () => {
    await workerd.stop()
    await rm(directory, { recursive: true })
  })

  testInWorkerd((rule) => workerd.check('d1', rule))

  it('are there when the database is opened again', async () => {
    const plant = { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' }
    await workerd.storage('d1').create('reopened', plant)
    await workerd.storage('d1').create('reopened', { id: -(2n ** 63n), name: '' })
    await workerd.stop()

    workerd = await startStorages(directory)
    const storage = workerd.storage('d1')
    const plants = await storage.list('reopened', { limit: 500 })
    expect(plants).toEqual([{ id: -(2n ** 63n), name: '' }, plant])
    expect(await storage.create('reopened', plant)).toBe(false)
  })

  it('are unavailable when the database can’t be reached', async () => {
    const storage = workerd.storage('unreachable d1')
    await expect(storage.list('alice', { limit: 1 })).rejects.toThrow(StorageUnavailableError)
    await expect(storage.delete('alice', 7n)).rejects.toThrow(StorageUnavailableError)
  })
})

// As https://developers.cloudflare.com/d1/observability/debug-d1/#error-list has them.
describe('what D1 fails with', () => {
  it.each([
    'D1 DB reset because its code was updated.',
    'Internal error while starting up D1 DB storage caused object to be reset.',
    'Network connection lost.',
    'Internal error in D1 DB storage caused object to be reset.',
    'Cannot resolve D1 DB due to transient issue on remote node.',
    "Can't read from request stream because client disconnected.",
    'D1 DB storage operation exceeded timeout which caused object to be reset.',
    'D1 DB is overloaded. Requests queued for too long.',
    'D1 DB is overloaded. Too many requests queued.',
    "D1 DB's isolate exceeded its memory limit and was reset.",
    'D1 DB exceeded its CPU time limit and was reset.',
    'Exceeded maximum DB size',
  ])('is unavailability: %s', async (message) => {
    const storage = storageFailingWith(new Error(`D1_ERROR: ${message}`))
    await expect(storage.delete('alice', 7n)).rejects.toBeInstanceOf(StorageUnavailableError)
  })

  it.each(['retryable', 'overloaded', 'durableObjectReset'])(
    'is unavailability when the runtime says that it is %s',
    async (property) => {
      const cause = Object.assign(new Error('Something new'), { [property]: true })
      const failure = storageFailingWith(cause).list('alice', { limit: 1 })
      await expect(failure).rejects.toBeInstanceOf(StorageUnavailableError)
      await expect(failure).rejects.toMatchObject({ cause })
    },
  )

  it.each(['no such table: plants: SQLITE_ERROR', 'string or blob too big: SQLITE_TOOBIG'])(
    'is thrown as it is: %s',
    async (message) => {
      const error = new Error(`D1_ERROR: ${message}`)
      await expect(storageFailingWith(error).delete('alice', 7n)).rejects.toBe(error)
    },
  )

  function storageFailingWith(error: Error) {
    const fail = () => Promise.reject(error)
    return d1Storage({ prepare: () => ({ bind: () => ({ all: fail, run: fail }) }) } satisfies D1)
  }
})
