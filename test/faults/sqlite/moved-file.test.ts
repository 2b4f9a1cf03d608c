import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'
import { freshFile, openDatabase, openStorage, plantOf } from '../../src/storage/sqlite-files.ts'

/** A storage with alice's plant 1, and its file. */
async function storageWithPlant() {
  const file = freshFile()
  const storage = openStorage(file)
  await storage.create('alice', plantOf(1n))
  return { file, storage }
}

function replace(file: string): void {
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
}

describe('a database file that is gone while it is open', () => {
  skipBecause(process.platform === 'win32' && 'Windows keeps open files from being replaced')

  it.each<[string, (file: string) => void]>([
    ['removed', (file) => rmSync(file)],
    ['removed', (file) => renameSync(dirname(file), `${dirname(file)}-moved`)],
    ['replaced', replace],
  ])('makes creates and deletes unavailable: it was %s', async (state, lose) => {
    const file = join(folderOfTest(), 'data', 'plants.db')
    mkdirSync(dirname(file))
    const storage = openStorage(file)
    await storage.create('alice', plantOf(1n))
    lose(file)
    const message = `${file} was ${state} while it was open, by hand or by another copy of SQLite in this process. Put it back, or save the plants with backup() and restart`
    const unavailable = { name: 'StorageUnavailableError', message }
    await expect(storage.create('alice', plantOf(2n))).rejects.toMatchObject(unavailable)
    await expect(storage.delete('alice', 1n)).rejects.toMatchObject(unavailable)
    expect(storage.list('alice', { limit: 9 })).toEqual([plantOf(1n)])
  })

  it('works again once it is put back', async () => {
    const { file, storage } = await storageWithPlant()
    renameSync(file, `${file}.moved`)
    await expect(storage.create('alice', plantOf(2n))).rejects.toThrow('was removed')
    renameSync(`${file}.moved`, file)
    expect(await storage.create('alice', plantOf(2n))).toBe(true)
  })

  it.each<[string, (wal: string) => void]>([
    ['removed', (wal) => rmSync(wal)],
    ['replaced', replace],
  ])('makes creates unavailable and loses nothing: its -wal file was %s', async (state, lose) => {
    const { file, storage } = await storageWithPlant()
    lose(`${file}-wal`)
    await expect(storage.create('alice', plantOf(3n))).rejects.toThrow(
      `${file}-wal was ${state} while it was open, by hand or by another copy of SQLite`,
    )
    await storage.close()
    expect(openStorage(file).list('alice', { limit: 9 })).toEqual([plantOf(1n)])
  })

  it('is unavailable once it was truncated, but not after a VACUUM', async () => {
    const { file, storage } = await storageWithPlant()
    const large = Array.from({ length: 99 }, (_, id) => ({
      id: BigInt(id),
      name: 'x'.repeat(9999),
    }))
    await Promise.all(large.map((plant) => storage.create('bob', plant)))
    await Promise.all(large.map(({ id }) => storage.delete('bob', id)))
    const other = openDatabase(file)
    other.exec('PRAGMA wal_checkpoint(RESTART)')
    const { size } = statSync(file)
    other.exec('VACUUM; PRAGMA wal_checkpoint(RESTART)')
    expect(statSync(file).size).toBeLessThan(size)
    other.exec("INSERT INTO plants SELECT 'bob', 1, hex(zeroblob(9999)), NULL") // In the -wal alone.
    expect(await storage.create('alice', plantOf(2n))).toBe(true)
    truncateSync(file, 4096)
    await expect(storage.create('alice', plantOf(3n))).rejects.toThrow(
      `${file} was truncated while it was open, by hand or by another copy of SQLite in this process. Restore a backup`,
    )
  })

  it('can still be saved by a backup', async () => {
    const { file, storage } = await storageWithPlant()
    rmSync(file)
    const saved = join(dirname(file), 'saved.db')
    await storage.backup(saved)
    expect(openStorage(saved).list('alice', { limit: 9 })).toEqual([plantOf(1n)])
  })
})

it('a file that is mounted by itself is refused, since its -wal would be elsewhere', ({ skip }) => {
  const file = freshFile()
  openStorage(file)
  const target = join(dirname(file), 'a mount', 'plants.db')
  mkdirSync(dirname(target))
  writeFileSync(target, '')
  if (spawnSync('mount', ['--bind', file, target]).status !== 0) skip('needs Linux and root')
  onTestFinished(() => void spawnSync('umount', ['--lazy', target]))
  expect(() => sqliteStorage(target)).toThrow(
    `Cannot open ${target}: it is mounted by itself, and SQLite keeps the latest changes in another file beside it. Mount its directory instead`,
  )
})
