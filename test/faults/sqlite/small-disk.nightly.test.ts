import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/index.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { mountDisk, whyNoMount } from './mount.ts'
import { integrityOf } from './soundness.ts'

const DISK_KIB = 3 * 1024

type Storage = ReturnType<typeof sqliteStorage>

/** Creates plants, some at once, until one is refused; returns the ids that were created. */
async function fill(storage: Storage, first: bigint, size: number, atOnce: number) {
  const created: bigint[] = []
  for (let next = first; ; next += BigInt(atOnce)) {
    const ids = Array.from({ length: atOnce }, (_, index) => next + BigInt(index))
    const outcomes = await Promise.allSettled(
      ids.map((id) => storage.create('alice', { id, name: 'x'.repeat(size) })),
    )
    outcomes.forEach((outcome, index) => {
      if (outcome.status === 'fulfilled') created.push(ids[index]!)
      else expect(outcome.reason).toBeInstanceOf(StorageUnavailableError)
    })
    if (outcomes.some(({ status }) => status === 'rejected')) return created
  }
}

async function deleteAll(storage: Storage, ids: bigint[]): Promise<void> {
  const answers = await Promise.all(ids.map((id) => storage.delete('alice', id)))
  expect(answers).not.toContain(false)
}

const idsIn = (storage: Storage) => storage.list('alice', { limit: 99_999 }).map(({ id }) => id)

describe('a disk of 3 MiB', () => {
  skipBecause(whyNoMount())

  it.each([
    [200, 100],
    [1000, 1],
    [1000, 50],
    [100_000, 1],
    [100_000, 8],
  ])('is used, filled, emptied and filled again: names of %i, %i at once', async (size, atOnce) => {
    const disk = mountDisk(DISK_KIB)
    const file = join(disk, 'plants.db')
    let storage = sqliteStorage(file)
    const first = await fill(storage, 0n, size, atOnce)
    expect(idsIn(storage)).toEqual(first)
    const { bavail, bsize } = statfsSync(disk)
    expect(bavail * bsize).toBeLessThan(1024 * 1024)

    await deleteAll(storage, first.splice(0, Math.ceil(first.length / 2)))
    const second = await fill(storage, 1_000_000n, size, atOnce)
    expect(second.length).toBeGreaterThan(0)
    expect(idsIn(storage)).toEqual([...first, ...second])
    await storage.close()

    storage = sqliteStorage(file)
    expect(idsIn(storage)).toEqual([...first, ...second])
    await deleteAll(storage, [...first, ...second])
    expect((await fill(storage, 0n, size, atOnce)).length).toBeGreaterThan(0)
    await storage.close()
    expect(integrityOf(file)).toBe('ok')
  })
})
