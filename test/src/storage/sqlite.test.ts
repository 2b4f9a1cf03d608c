import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/index.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { openWithConnection } from '../../faults/sqlite/connection.ts'
import { ordinaryUser } from '../../shared/daemon.ts'
import { openFiles } from '../../shared/open-files.ts'
import { folderOfTest, folderOfTests } from '../../shared/temporary-folder.ts'
import { expectEachCallToThrow } from './each-call.ts'
import {
  copyAsKilled,
  databaseFile,
  freshFile,
  openDatabase,
  openStorage,
  plantOf,
  storeFile,
} from './sqlite-files.ts'

const FOREIGN =
  /^Cannot open .*: it is a database of another application\. To add a table for plants to it, pass \{ table: 'plants' \}$/
const CLOSED = 'The storage is closed: close() was called before this call'

describe('sqliteStorage in a file', () => {
  const directory = folderOfTests()
  const open = () => sqliteStorage(join(directory, 'plants.db'))
  testPlantStorage({ describe, it }, open, { reopen: open, openSecond: open })
})

describe('sqliteStorage in memory', () => {
  testPlantStorage({ describe, it }, () => sqliteStorage(':memory:'))
})

describe('a file of sqliteStorage', () => {
  it('may be a database without tables when it is opened first', async () => {
    const storage = openStorage(databaseFile('PRAGMA page_size = 512; VACUUM'))
    expect(await storage.create('alice', plantOf(1n))).toBe(true)
  })

  it.skipIf(process.platform === 'win32').each([
    ['keeps its rights, if it is empty', 0o640],
    ['is its owner’s alone when it is new', 0o600],
  ])('%s, and so are those beside it', (_, rights) => {
    const file = freshFile()
    if (rights !== 0o600) {
      writeFileSync(file, '')
      chmodSync(file, rights)
    }
    openStorage(file)
    for (const suffix of ['', '-wal', '-shm']) {
      expect(statSync(file + suffix).mode & 0o777).toBe(rights)
    }
  })

  it.each(['file:x?mode=memory', 'ä %41#?&.db', "'.db"])(
    'is a single file once it is closed: %s',
    async (name) => {
      const file = freshFile(name)
      const storage = sqliteStorage(file)
      await storage.create('alice', plantOf(1n))
      await storage[Symbol.asyncDispose]()
      expect(readdirSync(join(file, '..'))).toEqual([name])
    },
  )

  it('is created where a relative link leads, whatever the working directory is', async () => {
    const root = folderOfTest()
    const link = join(root, 'plants.db')
    symlinkSync('real.db', link)
    await sqliteStorage(link).close()
    expect(existsSync(join(root, 'real.db'))).toBe(true)
  })

  it('can be opened after its process was killed during a checkpoint', async () => {
    const file = freshFile()
    const first = sqliteStorage(file)
    const ids = Array.from({ length: 500 }, (_, id) => BigInt(id))
    await Promise.all(ids.map((id) => first.create('alice', plantOf(id))))
    const killed = copyAsKilled(file)
    await first.close()
    // The checkpoint has written the first page, which holds the number of pages, and nothing else yet.
    const firstPage = readFileSync(file).subarray(0, 4096)
    writeFileSync(killed, Buffer.concat([firstPage, readFileSync(killed).subarray(4096)]))
    expect(statSync(killed).size).toBeLessThan(statSync(file).size)

    const second = openStorage(killed)
    expect(second.list('alice', { limit: 999 })).toEqual(ids.map(plantOf))
  })

  it('has its mark in the file itself, even if the process that creates it is killed', () => {
    const file = freshFile()
    openStorage(file)
    expect(readFileSync(copyAsKilled(file)).toString('latin1', 68, 72)).toBe('Plnt')
  })
})

describe('a file that is not a plant store’s', () => {
  const TABLES = 'CREATE TABLE t (x); CREATE TABLE u (x)'

  function truncated(file: string): string {
    truncateSync(file, 4096)
    return file
  }

  /** A database whose process was killed, so that its last commits are only in the -wal file. */
  function killedDatabase(): string {
    const file = freshFile()
    const other = openDatabase(file)
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    return copyAsKilled(file)
  }

  function text(content: string): string {
    const file = freshFile()
    writeFileSync(file, content)
    return file
  }

  it.each<[string, () => string | Promise<string>, RegExp]>([
    [
      'a text file',
      () => text('Dear diary, '.repeat(100)),
      /^Cannot open .*: it is not a SQLite database$/,
    ],
    ['a very short text file', () => text('x'), /^Cannot open .*: it is not a SQLite database$/],
    ['a database without a mark', () => databaseFile(TABLES), FOREIGN],
    ['a file that was made with { table }', () => storeFile('', { table: 'plants' }), FOREIGN],
    ['a marked database', () => databaseFile('PRAGMA application_id = 7'), FOREIGN],
    ['a database whose process was killed', killedDatabase, FOREIGN],
    ['a truncated database', () => truncated(databaseFile(TABLES)), FOREIGN],
    [
      'a truncated plant store',
      async () => truncated(await storeFile()),
      /^Cannot open .* is malformed$/,
    ],
    [
      'a plant store of a newer version',
      () => storeFile('PRAGMA user_version = 2'),
      /^Cannot open .*: it was written by another version of plant-store: its schema is version 2, and this version reads 1$/,
    ],
    [
      'a plant store without a column',
      () => storeFile('ALTER TABLE plants DROP COLUMN tag'),
      /^Cannot open .*: its table plants is not a plant store's\. It has \(id INTEGER NOT NULL, name TEXT NOT NULL, owner /,
    ],
  ])('is refused and left unchanged: %s', async (_, make, message) => {
    const file = await make()
    const before = snapshot(file)
    const refused = { message: expect.stringMatching(message), cause: expect.any(Error) }
    expect(() => sqliteStorage(file)).toThrow(expect.objectContaining(refused))
    expect(snapshot(file)).toEqual(before)
    expect(openFiles()).not.toContain(file)
  })

  it('is refused with the reason: a directory, or a file in a directory that does not exist', () => {
    const root = folderOfTest()
    expect(() => sqliteStorage(root)).toThrow(`Cannot open ${root}: it is not a file`)
    const link = join(root, 'link.db')
    symlinkSync(link, link)
    expect(() => sqliteStorage(link)).toThrow(`Cannot open ${link}: ELOOP`)
    const nowhere = join(root, 'nowhere', 'plants.db')
    expect(() => sqliteStorage(nowhere)).toThrow(
      /^Cannot open .*: the directory .*nowhere does not exist\. Create it first$/,
    )
    expect(() => sqliteStorage('nowhere/plants.db')).toThrow(
      `Cannot open ${resolve('nowhere/plants.db')}: the directory ${resolve('nowhere')} does not`,
    )
  })

  it.skipIf(process.platform === 'win32')(
    'is refused with the reason: a file that another user has restored',
    async () => {
      const file = freshFile()
      await sqliteStorage(file).close()
      chmodSync(file, 0o444)
      chmodSync(dirname(file), 0o777)
      const module = new URL('../../../src/storage/sqlite.ts', import.meta.url).href
      // Root may write everything. An ordinary user may not be able to read the module.
      const { uid, gid } = ordinaryUser() ?? {}
      const open = `
      const { sqliteStorage } = await import(${JSON.stringify(module)})
      if (${uid}) process.setgid(${gid}), process.setuid(${uid})
      try { sqliteStorage(${JSON.stringify(file)}) } catch (error) { console.log(error.message) }`
      const args = ['--input-type=module', '-e', open]
      const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
      expect(output).toBe(`Cannot open ${file}: EACCES: permission denied, access '${file}'\n`)
    },
  )

  function snapshot(file: string) {
    const directory = join(file, '..')
    return readdirSync(directory).map((name) => {
      const path = join(directory, name)
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
      return { name, digest, changed: statSync(path).mtimeMs }
    })
  }
})

describe('wrong arguments of sqliteStorage', () => {
  const needsPath = 'sqliteStorage needs the path of a file, such as'
  it.each<[unknown, string]>([
    [undefined, `${needsPath} 'plants.db'; got undefined`],
    ['', `${needsPath} 'plants.db'; got an empty string`],
    [{ path: 'plants.db' }, `${needsPath} 'plants.db'; got an object`],
    ...['file:app.db', 'FILE:///var/app.db?mode=ro'].map((url): [string, string] => [
      url,
      `sqliteStorage needs a path; got the URL '${url}'. Write './${url}' for a file of that name`,
    ]),
  ])('are named: the path %j', (path, message) => {
    expect(() => sqliteStorage(path as string)).toThrow(new TypeError(message))
  })

  const isName =
    'table must be a name of letters, digits and underscores that does not start with a digit or sqlite_; got'
  const isTime = 'lockTimeoutMs must be a whole number from 0 to 2147483647; got'
  it.each<[unknown, Error]>([
    [null, new TypeError('sqliteStorage takes an object of options; got null')],
    [
      { lockTimeout: 5 },
      new TypeError(
        'sqliteStorage has no option lockTimeout; the options are table, synchronous, lockTimeoutMs, fileMustExist',
      ),
    ],
    [{ table: 'a b' }, new TypeError(`${isName} 'a b'`)],
    [{ synchronous: 'OFF' }, new TypeError("synchronous must be 'FULL' or 'NORMAL'; got 'OFF'")],
    [{ lockTimeoutMs: -1 }, new RangeError(`${isTime} -1`)],
    [{ lockTimeoutMs: 2 ** 31 }, new RangeError(`${isTime} 2147483648`)],
    [{ fileMustExist: 1 }, new TypeError('fileMustExist must be true or false; got a number')],
  ])('are named, and no file is made: the options %j', (options, error) => {
    const file = freshFile()
    expect(() => sqliteStorage(file, options as object)).toThrow(error)
    expect(existsSync(file)).toBe(false)
  })
})

it.each([
  [undefined, { synchronous: 2, fullfsync: 1 }],
  ['NORMAL' as const, { synchronous: 1, fullfsync: 0 }],
])(
  'synchronous %s decides whether commits of sqliteStorage wait for the disk',
  async (synchronous, expected) => {
    const { storage, connection } = openWithConnection(freshFile(), { synchronous })
    const settings = Object.keys(expected).map((name) => connection.prepare(`PRAGMA ${name}`).get())
    expect(Object.assign({}, ...settings)).toEqual(expected)
    await storage.close()
  },
)

it('a missing file is not created by sqliteStorage with fileMustExist', async () => {
  const file = freshFile()
  const open = () => sqliteStorage(file, { fileMustExist: true })
  expect(open).toThrow(`Cannot open ${file}: it does not exist`)
  expect(existsSync(file)).toBe(false)
  await sqliteStorage(file).close()
  await open().close()
})

// LOCKED_SHAREDCACHE, NOMEM, READONLY_DBMOVED, IOERR_READ, CANTOPEN, PROTOCOL.
it.each([262, 7, 1032, 266, 14, 15])('sqliteStorage is unavailable on the error %i', (errcode) => {
  const storage = openStorage()
  const all = vi.spyOn(StatementSync.prototype, 'all').mockImplementation(() => {
    throw Object.assign(new Error('SQLite has failed'), { errcode })
  })
  onTestFinished(() => all.mockRestore())
  expect(() => storage.list('alice', { limit: 1 })).toThrow(StorageUnavailableError)
})

it('sqliteStorage does not acknowledge a create whose file was removed during its commit', async () => {
  const file = freshFile()
  const { storage, connection } = openWithConnection(file)
  onTestFinished(() => storage.close())
  connection.function('lose', () => {
    rmSync(file)
    return null
  })
  connection.exec('CREATE TEMP TRIGGER lose AFTER INSERT ON plants BEGIN SELECT lose(); END')
  await expect(storage.create('alice', plantOf(1n))).rejects.toThrow(
    'was removed while it was open',
  )
})

describe('a lock on the file of sqliteStorage', () => {
  it('is waited for without blocking', async () => {
    const file = freshFile()
    const storage = openStorage(file)
    const other = openDatabase(file)
    other.exec('BEGIN EXCLUSIVE')
    const waiting = Promise.all([
      storage.create('alice', plantOf(1n)),
      storage.create('alice', plantOf(1n)),
      storage.delete('alice', 1n),
    ])
    // This thread releases the lock, after creates have failed to get it.
    const before = performance.eventLoopUtilization()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
    expect(storage.list('alice', { limit: 1 })).toEqual([])
    other.exec('COMMIT')
    expect(await waiting).toEqual([true, false, true])
  })

  it('that is held for too long fails the calls that have waited, not those that came later', async () => {
    const file = freshFile()
    const storage = openStorage(file, { lockTimeoutMs: 1000 })
    const other = openDatabase(file)
    other.exec('BEGIN EXCLUSIVE')
    const now = vi.spyOn(performance, 'now')
    onTestFinished(() => now.mockRestore())
    now.mockReturnValue(0)
    const first = storage.create('alice', plantOf(1n))
    now.mockReturnValue(500)
    const later = storage.create('alice', plantOf(2n))
    now.mockReturnValue(1200)
    await expect(first).rejects.toMatchObject({
      name: 'StorageUnavailableError',
      cause: { message: 'database is locked' },
    })
    other.exec('COMMIT')
    expect(await later).toBe(true)
    expect(storage.list('alice', { limit: 9 })).toEqual([plantOf(2n)])
  })

  it('is held by every open storage, so that no other connection removes the -wal file', async () => {
    const file = freshFile()
    const storage = openStorage(file)
    const other = new DatabaseSync(file)
    other.exec("INSERT INTO plants VALUES ('alice', 1, 'Plant 1', NULL)")
    other.close()
    expect(existsSync(`${file}-wal`)).toBe(true)
    expect(storage.list('alice', { limit: 9 })).toEqual([plantOf(1n)])
  })

  it('is waited for, and not taken for damage, when the file is opened beside its -wal file', async () => {
    const file = await storeFile()
    const other = new DatabaseSync(file)
    other.exec("PRAGMA locking_mode = EXCLUSIVE; INSERT INTO plants VALUES ('alice', 1, 'a', NULL)")
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    const begin = performance.now()
    expect(() => sqliteStorage(file, { lockTimeoutMs: 200 })).toThrow(StorageUnavailableError)
    expect(performance.now() - begin).toBeGreaterThanOrEqual(200)
    other.close()
    await sqliteStorage(file).close()
  })

  it.each([undefined, 'plants'])(
    'does not prevent another storage from opening and reading it (table: %s)',
    async (table) => {
      const file = freshFile()
      const storage = sqliteStorage(file, { table })
      await storage.create('alice', plantOf(1n))
      await storage.close()
      const other = openDatabase(file)
      other.exec('BEGIN IMMEDIATE')
      const reader = openStorage(file, { table, lockTimeoutMs: 0 })
      expect(reader.list('alice', { limit: 9 })).toEqual([plantOf(1n)])
    },
  )
})

describe('closing sqliteStorage', () => {
  it('waits for the calls in progress', async () => {
    const storage = sqliteStorage(freshFile())
    const created = storage.create('alice', plantOf(1n))
    await storage.close()
    expect(await created).toBe(true)
  })

  it('can be repeated, and every other method throws afterwards', async () => {
    const storage = sqliteStorage(':memory:')
    await Promise.all([storage.close(), storage.close()])
    await expectEachCallToThrow(storage, CLOSED)
    await expect(storage.backup(freshFile())).rejects.toThrow(CLOSED)
  })
})

it.each([
  ['a runtime without this one', () => undefined],
  ['Node 22.13, without backup', () => ({ DatabaseSync })],
])('sqliteStorage says that it needs a newer node:sqlite: %s', (_, found) => {
  const { getBuiltinModule } = process
  onTestFinished(() => {
    process.getBuiltinModule = getBuiltinModule
  })
  process.getBuiltinModule = found as never
  const file = freshFile()
  expect(() => sqliteStorage(file)).toThrow(
    new Error(
      `sqliteStorage needs the module node:sqlite of Node 22.18 or later, or a current Bun or Deno; got Node ${process.version}`,
    ),
  )
  expect(existsSync(file)).toBe(false)
})
