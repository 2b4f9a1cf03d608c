import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { freshFile } from '../../src/storage/sqlite-files.ts'
import { mountFile, whyNoMount } from './mount.ts'

const plantOf = (id: bigint) => ({ id, name: `Plant ${id}` })

function passASecond(): void {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1000)
  onTestFinished(() => now.mockRestore())
}

describe('a database file that is gone while it is open', () => {
  skipBecause(process.platform === 'win32' && 'Windows keeps open files from being replaced')

  it.each<[string, (file: string) => void]>([
    ['removed', (file) => rmSync(file)],
    ['removed', (file) => renameSync(dirname(file), `${dirname(file)}-moved`)],
    [
      'replaced',
      (file) => {
        writeFileSync(`${file}.new`, '')
        renameSync(`${file}.new`, file)
      },
    ],
  ])('makes creates and deletes unavailable: it was %s', async (state, lose) => {
    const file = join(dirname(freshFile()), 'data', 'plants.db')
    mkdirSync(dirname(file))
    const storage = sqliteStorage(file)
    await storage.create('alice', plantOf(1n))
    lose(file)
    const message = `${file} was ${state} while it was open. Put it back, or save the plants with backup() and restart`
    const unavailable = { name: 'StorageUnavailableError', message }
    await expect(storage.create('alice', plantOf(2n))).rejects.toMatchObject(unavailable)
    await expect(storage.delete('alice', 1n)).rejects.toMatchObject(unavailable)
    expect(storage.list('alice', { limit: 9 })).toEqual([plantOf(1n)])
    await storage.close()
  })

  it('works again once it is put back', async () => {
    const file = freshFile()
    const storage = sqliteStorage(file)
    renameSync(file, `${file}.moved`)
    await expect(storage.create('alice', plantOf(1n))).rejects.toThrow('was removed')
    renameSync(`${file}.moved`, file)
    expect(await storage.create('alice', plantOf(1n))).toBe(true)
    await storage.close()
  })

  it.each<[string, (wal: string) => void]>([
    ['removed', (wal) => rmSync(wal)],
    [
      'replaced',
      (wal) => {
        copyFileSync(wal, `${wal}.copy`)
        renameSync(`${wal}.copy`, wal)
      },
    ],
  ])('is unavailable when its -wal file was %s, after a second', async (state, lose) => {
    const file = freshFile()
    const storage = sqliteStorage(file)
    await storage.create('alice', plantOf(1n))
    lose(`${file}-wal`)
    passASecond()
    await expect(storage.create('alice', plantOf(3n))).rejects.toThrow(
      `${file}-wal was ${state} while it was open.`,
    )
    await storage.close()
  })

  it('loses nothing when it is closed without its -wal file', async () => {
    const file = freshFile()
    const storage = sqliteStorage(file)
    await storage.create('alice', plantOf(1n))
    rmSync(`${file}-wal`)
    await storage.create('alice', plantOf(2n))
    await storage.close()

    const again = sqliteStorage(file)
    expect(again.list('alice', { limit: 9 })).toEqual([plantOf(1n), plantOf(2n)])
    await again.close()
  })

  it('is looked for where a link led', async () => {
    const file = freshFile()
    const link = join(dirname(file), 'link.db')
    symlinkSync(file, link)
    const storage = sqliteStorage(link)
    await storage.create('alice', plantOf(1n))
    rmSync(`${file}-wal`)
    passASecond()
    await expect(storage.create('alice', plantOf(3n))).rejects.toThrow('-wal was removed')
    rmSync(link)
    await expect(storage.create('alice', plantOf(3n))).rejects.toThrow(`${link} was removed`)
    await storage.close()
  })

  it('can still be saved by a backup', async () => {
    const file = freshFile()
    const storage = sqliteStorage(file)
    await storage.create('alice', plantOf(1n))
    rmSync(file)
    const saved = join(dirname(file), 'saved.db')
    await storage.backup(saved)
    await storage.close()

    const again = sqliteStorage(saved)
    expect(again.list('alice', { limit: 9 })).toEqual([plantOf(1n)])
    await again.close()
  })
})

describe('a database file that is mounted by itself', () => {
  skipBecause(whyNoMount())

  it('is refused, since its -wal file would be elsewhere', async () => {
    const file = freshFile()
    const storage = sqliteStorage(file)
    const target = join(dirname(file), 'a mount', 'plants.db')
    mkdirSync(dirname(target))
    writeFileSync(target, '')
    mountFile(file, target)
    expect(() => sqliteStorage(target)).toThrow(
      `Cannot open ${target}: it is mounted by itself, and SQLite keeps the latest changes in another file beside it. Mount its directory instead`,
    )
    await storage.close()
  })
})
