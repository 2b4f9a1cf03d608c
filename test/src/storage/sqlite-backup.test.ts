import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { filesOf } from '../../docs/guides/guides.ts'
import { skipBecause } from '../../shared/skip.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'
import { freshFile, openDatabase, openStorage, plantOf } from './sqlite-files.ts'

const ids = Array.from({ length: 3000 }, (_, id) => BigInt(id))

describe('backup() of sqliteStorage', () => {
  it('is one file, even while a program reads it, and works for a storage in memory', async () => {
    const directory = folderOfTest()
    const storage = openStorage(':memory:')
    await storage.create('alice', plantOf(1n))
    await storage.backup(join(directory, 'copy.db'))
    const reader = openDatabase(join(directory, 'copy.db'))
    expect(reader.prepare('SELECT name FROM plants').all()).toMatchObject([{ name: 'Plant 1' }])
    expect(readdirSync(directory)).toEqual(['copy.db'])
  })

  it('copies a snapshot while this and another storage write, and blocks neither', async () => {
    const file = freshFile()
    const storages = [1, 2].map(() => openStorage(file, { synchronous: 'NORMAL' }))
    const large = ids.map((id) => ({ id, name: 'x'.repeat(10_000) }))
    await Promise.all(large.map((plant) => storages[0]!.create('alice', plant)))
    let done = false
    const backup = storages[0]!.backup(`${file}.backup`).finally(() => {
      done = true
    })
    let created = 0n
    // Each pair is created in one commit, so that a copy of one moment has both or neither.
    for (; !done; created += 2n) {
      const pair = [plantOf(created), plantOf(created + 1n)]
      await Promise.all(
        storages.flatMap((storage, index) =>
          pair.map((plant) => storage.create(`bob ${index}`, plant)),
        ),
      )
    }
    expect(created).toBeGreaterThan(10n)
    await backup
    const copy = openStorage(`${file}.backup`)
    expect(copy.list('alice', { limit: 99_999 })).toEqual(large)
    for (const owner of ['bob 0', 'bob 1']) {
      expect(copy.list(owner, { limit: 99_999 }).length % 2).toBe(0)
    }
    expect(await copy.create('alice', plantOf(-1n))).toBe(true)
  })

  it('is waited for by close(), also if a later one has failed', async () => {
    const directory = folderOfTest()
    const storage = sqliteStorage(join(directory, 'plants.db'))
    await Promise.all(ids.map((id) => storage.create('alice', plantOf(id))))
    const backup = storage.backup(join(directory, 'copy.db'))
    // What a kill would leave.
    expect(readdirSync(directory)).toContainEqual(expect.stringMatching(/^copy\.db\.partial-/))
    const failed = storage.backup(join(directory, 'plants.db')).catch(() => 'failed')
    await storage.close()
    expect(readdirSync(directory)).toEqual(['copy.db', 'plants.db'])
    expect(await Promise.all([backup, failed])).toEqual([undefined, 'failed'])
  })

  it('holds an application’s own tables too, with their marks', async () => {
    const directory = folderOfTest()
    const app = new DatabaseSync(join(directory, 'app.db'))
    app.exec('PRAGMA user_version = 42; CREATE TABLE gardens (name TEXT)')
    const storage = sqliteStorage(join(directory, 'app.db'), { table: 'plants' })
    await storage.create('alice', plantOf(1n))
    await storage.backup(join(directory, 'copy.db'))
    await storage.close()
    app.close()
    const copy = openDatabase(join(directory, 'copy.db'))
    expect(copy.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 42 })
    expect(copy.prepare('SELECT count(*) AS n FROM gardens').get()).toMatchObject({ n: 0 })
    expect(readdirSync(directory)).toEqual(['app.db', 'copy.db'])
  })

  it('replaces no file, and leaves none if it fails', async () => {
    const directory = folderOfTest()
    const file = join(directory, 'plants.db')
    const storage = sqliteStorage(file)
    const other = join(directory, 'other')
    // No name is left beside it for a partial copy.
    const long = join(directory, 'x'.repeat(250))
    for (const path of [other, long]) writeFileSync(path, 'precious')
    for (const path of [file, other, long]) {
      await expect(storage.backup(path)).rejects.toThrow(
        `Cannot back up to ${path}: the file exists. Name a new file`,
      )
    }
    const late = join(directory, 'late')
    const backup = storage.backup(late)
    writeFileSync(late, 'precious') // While the backup is made.
    await expect(backup).rejects.toThrow('the file exists')
    for (const path of [other, late]) expect(readFileSync(path, 'utf8')).toBe('precious')
    await expect(storage.backup(join(directory, 'nowhere', 'copy.db'))).rejects.toThrow(
      /^Cannot back up to .*nowhere.*: the directory .*nowhere does not exist\. Create it first$/,
    )
    await storage.close()
    expect(readdirSync(directory).sort()).toEqual(['late', 'other', 'plants.db', 'x'.repeat(250)])
  })

  it('refuses what is not a path', async () => {
    await expect(openStorage(':memory:').backup(7 as never)).rejects.toThrow(
      "backup needs the path of a file, such as 'plants.db'; got a number",
    )
  })
})

describe('backup() of sqliteStorage, where files have rights', () => {
  skipBecause(process.platform === 'win32' && 'Windows has other rights')

  it('writes nothing through a symbolic link', async () => {
    const directory = folderOfTest()
    symlinkSync(join(directory, 'elsewhere'), join(directory, 'copy.db'))
    await openStorage(':memory:').backup(join(directory, 'copy.db'))
    expect(readdirSync(directory)).toEqual(['copy.db'])
    expect(lstatSync(join(directory, 'copy.db')).isFile()).toBe(true)
  })

  it.each([0o600, 0o664])('gives the backup those of the database: %o', async (rights) => {
    const directory = folderOfTest()
    const storage = openStorage(join(directory, 'plants.db'))
    chmodSync(join(directory, 'plants.db'), rights)
    await storage.backup(join(directory, 'copy.db'))
    expect(statSync(join(directory, 'copy.db')).mode & 0o777).toBe(rights)
  })
})

it('the script of the guide needs a database, and makes one backup a day, which can be restored by cp', async () => {
  const directory = folderOfTest()
  const script = join(directory, 'backup.mjs')
  const code = filesOf('docs/tasks/back-up.md').get('backup.mjs')!
  const module = new URL('../../../src/storage/sqlite.ts', import.meta.url).href
  writeFileSync(script, code.replace('plant-store/storage/sqlite', module))
  const backUp = (file: string) =>
    spawnSync(process.execPath, [script], { env: { ...process.env, DB: file }, encoding: 'utf8' })

  const file = join(directory, 'plants.db')
  expect(backUp(file)).toMatchObject({ status: 1, stderr: expect.stringContaining('not exist') })
  expect(readdirSync(directory)).toEqual(['backup.mjs'])

  const storage = sqliteStorage(file)
  await storage.create('alice', plantOf(1n))
  expect(backUp(file).status).toBe(0)
  expect(backUp(file)).toMatchObject({ status: 1, stderr: expect.stringContaining('file exists') })
  await storage.delete('alice', 1n)
  await storage.close()
  const backup = readdirSync(directory).find((name) => /^plants\.db\.\d{4}-\d\d-\d\d$/.test(name))!
  copyFileSync(join(directory, backup), file)
  expect(openStorage(file).list('alice', { limit: 9 })).toEqual([plantOf(1n)])
})
