import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { integrityOf } from './contents.ts'
import { createUntilFull } from './create-until-full.ts'
import { mountDisk, whyNoMount } from './mount.ts'

const DISK_KIB = 3 * 1024

async function deleteAll(storage: SqliteStorage, ids: bigint[]): Promise<void> {
  const answers = await Promise.all(ids.map((id) => storage.delete('alice', id)))
  expect(answers).not.toContain(false)
}

const idsIn = (storage: SqliteStorage) =>
  storage.list('alice', { limit: 99_999 }).map(({ id }) => id)

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
    const fill = (first: bigint) => createUntilFull(storage, { first, size, atOnce })
    const { created: first } = await fill(0n)
    expect(idsIn(storage)).toEqual(first)
    const { bavail, bsize } = statfsSync(disk)
    expect(bavail * bsize).toBeLessThan(1024 * 1024)

    await deleteAll(storage, first.splice(0, Math.ceil(first.length / 2)))
    const { created: second } = await fill(1_000_000n)
    expect(second.length).toBeGreaterThan(0)
    expect(idsIn(storage)).toEqual([...first, ...second])
    await storage.close()

    storage = sqliteStorage(file)
    expect(idsIn(storage)).toEqual([...first, ...second])
    await deleteAll(storage, [...first, ...second])
    expect((await fill(0n)).created.length).toBeGreaterThan(0)
    await storage.close()
    expect(integrityOf(file)).toBe('ok')
  })
})
