import { readdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { freshFile, openStorage } from '../../src/storage/sqlite-files.ts'
import { openWithConnection } from './connection.ts'
import { integrityOf } from './contents.ts'
import { createUntilFull } from './create-until-full.ts'
import { mountDisk, whyNoMount } from './mount.ts'

const KIB = 1024
const plantOf = (id: bigint, size: number) => ({ id, name: 'x'.repeat(size) })

/** Fills the disk with creates, and expects that none is lost, and that each is possible once there is room. */
async function expectSafeWhenFull(file: string, storage: SqliteStorage, makeRoom: () => void) {
  const { created, refused } = await createUntilFull(storage, { size: KIB, atOnce: 8 })
  expect(refused.length).toBeGreaterThan(0)
  const idsIn = ({ list }: SqliteStorage) => list('alice', { limit: 999 }).map(({ id }) => id)
  expect(idsIn(storage)).toEqual(created)

  makeRoom()
  for (const id of refused) expect(await storage.create('alice', plantOf(id, KIB))).toBe(true)
  await storage.close()
  expect(integrityOf(file)).toBe('ok')
  expect(idsIn(openStorage(file))).toEqual([...created, ...refused])
}

describe('a full disk', () => {
  it('makes creates unavailable, loses nothing, and creates work again once there is room', async () => {
    const file = freshFile()
    const { storage, connection } = openWithConnection(file)
    connection.exec('PRAGMA max_page_count = 20')
    await expectSafeWhenFull(file, storage, () => connection.exec('PRAGMA max_page_count = 1000'))
  })

  it('fails only the writes that don’t fit, of those that share a commit', async () => {
    const { storage, connection } = openWithConnection(freshFile())
    await storage.create('alice', plantOf(1n, 100))
    await storage.create('alice', plantOf(2n, 100))
    connection.exec('PRAGMA max_page_count = 4')
    const outcomes = await Promise.allSettled([
      storage.delete('alice', 1n),
      storage.create('alice', plantOf(3n, 100 * KIB)),
      storage.create('alice', plantOf(4n, 100)),
      storage.create('alice', plantOf(2n, 100)),
    ])
    expect(outcomes).toMatchObject([
      { value: true },
      { reason: { name: 'StorageUnavailableError', message: 'The disk is full' } },
      { value: true },
      { value: false },
    ])
    expect(storage.list('alice', { limit: 9 }).map(({ id }) => id)).toEqual([2n, 4n])
    await storage.close()
  })

  it('settles every write when another process takes the lock in between', async () => {
    const { storage, connection } = openWithConnection(freshFile(), { lockTimeoutMs: 100 })
    const other = new DatabaseSync(connection.location()!)
    connection.exec('PRAGMA max_page_count = 4')
    const outcomes = Promise.allSettled([
      storage.create('alice', plantOf(1n, 100 * KIB)),
      storage.create('alice', plantOf(2n, 100)),
    ])
    // By now the first commit has failed. The next one finds the lock taken.
    await new Promise((resolve) => setImmediate(resolve))
    other.exec('BEGIN IMMEDIATE')
    const reason = { name: 'StorageUnavailableError', cause: { message: 'database is locked' } }
    expect(await outcomes).toMatchObject([{ reason }, { reason }])
    other.close()
    expect(await storage.create('alice', plantOf(2n, 100))).toBe(true)
    await storage.close()
  })
})

describe('a full file system', () => {
  skipBecause(whyNoMount())

  it('behaves like a full disk', async () => {
    const mounted = mountDisk(KIB)
    const file = join(mounted, 'plants.db')
    const storage = sqliteStorage(file)
    const ballast = join(mounted, 'ballast')
    writeFileSync(ballast, new Uint8Array(700 * KIB))
    await expectSafeWhenFull(file, storage, () => rmSync(ballast))
  })

  it.each([
    [20, 100, 'x'],
    [300, 200 * KIB, 'x'],
    [300, 70 * KIB, '木'],
  ])(
    'lets a delete use the last %i KiB, which a create of %i characters like %s may not',
    async (room, size, letter) => {
      const mounted = mountDisk(KIB)
      // A link on another disk.
      const link = freshFile()
      symlinkSync(join(mounted, 'plants.db'), link)
      const storage = openStorage(link)
      await storage.create('alice', plantOf(1n, 100))
      const { bavail, bsize } = statfsSync(mounted)
      writeFileSync(join(mounted, 'ballast'), new Uint8Array(bavail * bsize - room * KIB))
      const outcomes = await Promise.allSettled([
        storage.delete('alice', 1n),
        storage.create('alice', { id: 2n, name: letter.repeat(size) }),
      ])
      const cause = {
        message: 'the disk has no room for the write and its copy from the -wal file',
      }
      expect(outcomes).toMatchObject([
        { value: true },
        { reason: { message: 'The disk is full', cause } },
      ])
      expect(storage.list('alice', { limit: 9 })).toEqual([])
    },
  )

  it.each([8, 64, KIB])('fails a backup, and keeps nothing of it: %i KiB', async (kibibytes) => {
    const storage = openStorage()
    await storage.create('alice', plantOf(1n, 2 * 1024 * KIB))
    const mounted = mountDisk(kibibytes)
    const path = join(mounted, 'copy.db')
    await expect(storage.backup(path)).rejects.toMatchObject({
      message: `Cannot back up to ${path}: database or disk is full`,
      cause: { errcode: 13 },
    })
    expect(readdirSync(mounted)).toEqual([])
  })
})
