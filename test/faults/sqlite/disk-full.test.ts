import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { freshFile, openStorage } from '../../src/storage/sqlite-files.ts'
import { openWithConnection } from './connection.ts'
import { integrityOf } from './contents.ts'
import { mountDisk, whyNoMount } from './mount.ts'

const KIB = 1024
const plantOf = (id: bigint, size: number) => ({ id, name: 'x'.repeat(size) })

/** Fills the disk with creates, and expects that none is lost, and that each is possible once there is room. */
async function expectSafeWhenFull(file: string, storage: SqliteStorage, makeRoom: () => void) {
  const created: bigint[] = []
  const refused: bigint[] = []
  for (let first = 0; refused.length === 0; first += 8) {
    const creates = Array.from({ length: 8 }, async (_, index) => {
      const id = BigInt(first + index)
      const isCreated = await storage.create('alice', plantOf(id, KIB)).catch((error) => {
        expect(error).toMatchObject({ code: 'storage_unavailable', message: 'The disk is full' })
        return false
      })
      if (isCreated) created.push(id)
      else refused.push(id)
    })
    await Promise.all(creates)
  }
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

  it('fails a backup, and keeps nothing of it', async () => {
    const storage = openStorage()
    await storage.create('alice', plantOf(1n, 2 * 1024 * KIB))
    const mounted = mountDisk(KIB)
    const path = join(mounted, 'copy.db')
    await expect(storage.backup(path)).rejects.toMatchObject({
      message: `Cannot back up to ${path}: database or disk is full`,
      cause: { errcode: 13 },
    })
    expect(readdirSync(mounted)).toEqual([])
  })
})
