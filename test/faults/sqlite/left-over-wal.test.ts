import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { openFiles } from '../../shared/open-files.ts'
import { copyAsKilled, freshFile, openStorage, plantOf } from '../../src/storage/sqlite-files.ts'
import { enlarge } from './enlarge.ts'
import { startServer } from './kills.ts'

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => BigInt(from + index))

async function create(storage: SqliteStorage, ids: bigint[]): Promise<void> {
  await Promise.all(ids.map((id) => storage.create('alice', plantOf(id))))
}

/** The file and the -wal of a process that was killed, which had created the plants. */
async function killedFile(): Promise<string> {
  const file = freshFile()
  await create(openStorage(file), range(0, 3))
  return copyAsKilled(file)
}

/** Adds what a process leaves that is killed within a transaction: a frame of this round that ends no commit. */
function addUncommittedFrame(wal: string): void {
  const bytes = readFileSync(wal)
  const salts = bytes.subarray(16, 24)
  const frameBytes = 24 + bytes.readUInt32BE(8)
  let end = 32
  while (bytes.subarray(end + 8, end + 16).equals(salts)) end += frameBytes
  const frame = Buffer.alloc(frameBytes)
  frame.writeUInt32BE(1)
  salts.copy(frame, 8)
  writeFileSync(wal, Buffer.concat([bytes.subarray(0, end), frame]))
}

function idsIn(file: string): bigint[] {
  const plants = openStorage(file).list('alice', { limit: 99_999 })
  return plants.map(({ id }) => id)
}

describe('a -wal file that a killed process left', () => {
  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => writeFileSync(file, '')],
  ])('is not lost when the database file is %s', async (state, lose) => {
    const file = await killedFile()
    const [database, wal] = [readFileSync(file), readFileSync(`${file}-wal`)]
    lose(file)
    expect(() => sqliteStorage(file)).toThrow(
      `Cannot open ${file}: it is ${state}, and ${file}-wal holds the latest changes of a database that was not closed.`,
    )
    expect(readFileSync(`${file}-wal`)).toEqual(wal)

    writeFileSync(file, database)
    expect(idsIn(file)).toEqual([0n, 1n, 2n])
  })

  it.each([
    [undefined, 'it is not a SQLite database'],
    ['plants', 'it is damaged, or it and '],
  ])('is not lost when the database file is another file (table: %s)', async (table, message) => {
    const file = await killedFile()
    const wal = readFileSync(`${file}-wal`)
    writeFileSync(file, 'Dear diary, '.repeat(100))
    expect(() => sqliteStorage(file, { table })).toThrow(`Cannot open ${file}: ${message}`)
    expect(readFileSync(`${file}-wal`)).toEqual(wal)
  })

  it('lets a database grow over 1 GiB, where SQLite uses one page neither in the file nor in the -wal', async () => {
    const file = freshFile()
    await sqliteStorage(file).close()
    enlarge(file, 1024 ** 3)
    const { url, kill } = await startServer(file)
    onTestFinished(kill)
    const plant = { name: 'x'.repeat(15_000) }
    const body = JSON.stringify({ id: 1, ...plant })
    const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
    await fetch(`${url}/plants`, { method: 'POST', headers, body })
    for (const prepare of [async () => {}, kill]) {
      await prepare()
      expect(existsSync(`${file}-wal`)).toBe(true)
      const storage = sqliteStorage(file)
      expect(storage.list('token', { limit: 9 })).toMatchObject([plant])
      await storage.close()
      expect(openFiles().filter((path) => path.startsWith(file))).toEqual([])
    }
  })

  it('does not matter when it is empty', () => {
    const file = freshFile()
    writeFileSync(`${file}-wal`, '')
    expect(idsIn(file)).toEqual([])
  })

  it('is looked for where a link leads', async () => {
    const file = await killedFile()
    rmSync(file)
    const link = join(dirname(file), 'links', 'plants.db')
    mkdirSync(dirname(link))
    symlinkSync(file, link)
    expect(() => sqliteStorage(link)).toThrow('it is missing, and ')
  })
})

describe('a backup that was restored beside the -wal file of the database before', () => {
  it.each([[3], [2000]])('is refused: made by backup(), of %i plants', async (count) => {
    const file = freshFile()
    const storage = openStorage(file)
    await create(storage, range(0, count))
    const backup = join(dirname(file), 'backup.db')
    await storage.backup(backup)
    await create(storage, range(count, count + 10))
    const killed = copyAsKilled(file)

    copyFileSync(backup, killed)
    const wal = readFileSync(`${killed}-wal`)
    expect(() => sqliteStorage(killed)).toThrow(
      `Cannot open ${killed}: it is a backup, and ${killed}-wal holds the latest changes of a database that was not closed.`,
    )
    expect(readFileSync(`${killed}-wal`)).toEqual(wal)
    rmSync(`${killed}-wal`)
    expect(idsIn(killed)).toEqual(range(0, count))
  })

  it.each([
    ['garden', 1],
    [undefined, 9],
  ])(
    'is refused: a copy of the closed file, when the mix is damaged (table: %s, MiB: %i)',
    async (table, mebibytes) => {
      const file = freshFile()
      const first = sqliteStorage(file, { table })
      await create(first, range(0, 200))
      const others = range(0, mebibytes * 1024).map((id) => ({ id, name: 'x'.repeat(1024) }))
      await Promise.all(others.map((plant) => first.create('bob', plant)))
      // A small file has free pages. It is read in full, so it needn't grow to differ from the -wal.
      if (mebibytes === 1) await Promise.all(others.map(({ id }) => first.delete('bob', id)))
      await first.close()
      const backup = join(dirname(file), 'backup.db')
      copyFileSync(file, backup)

      const storage = openStorage(file, { table, synchronous: 'NORMAL' })
      // Enough for a checkpoint, after which the -wal begins anew.
      for (let id = 200; id < 2000; id += 2) await create(storage, range(id, id + 2))
      const killed = copyAsKilled(file)
      const intact = openStorage(killed, { table })
      expect(intact.list('alice', { limit: 9999 })).toHaveLength(2000)

      const mixed = join(dirname(file), 'mixed.db')
      copyFileSync(backup, mixed)
      copyFileSync(`${killed}-wal`, `${mixed}-wal`)
      addUncommittedFrame(`${mixed}-wal`)
      const content = () => Buffer.concat([readFileSync(mixed), readFileSync(`${mixed}-wal`)])
      const before = content()
      expect(() => sqliteStorage(mixed, { table })).toThrow(
        `Cannot open ${mixed}: it is damaged, or it and ${mixed}-wal don't belong together, and`,
      )
      expect(content().equals(before)).toBe(true)
    },
  )

  it('is a backup no more once it was opened', async () => {
    const file = freshFile()
    const backup = join(dirname(file), 'backup.db')
    await openStorage(file).backup(backup)
    await create(openStorage(backup), [1n])
    expect(idsIn(copyAsKilled(backup))).toEqual([1n])
  })
})
