import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createTableStatement } from '../../../src/storage/sqlite/statements.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { createListDelete } from './each-call.ts'
import { databaseFile, openDatabase, openStorage } from './sqlite-files.ts'

/** The file of an application that has marks and tables of its own. */
const appFile = (sql = '') =>
  databaseFile(`
    PRAGMA application_id = 7; PRAGMA user_version = 42;
    CREATE TABLE gardens (name TEXT); INSERT INTO gardens VALUES ('Kew');
    ${sql}`)

const read = (file: string, sql: string) => openDatabase(file).prepare(sql).get()

const plant = { id: 7n, name: 'Monstera', tag: 'indoor' }

describe('sqliteStorage with { table } in an application’s file', () => {
  it('creates the table, and leaves the rest of the file as it is', async () => {
    const file = appFile()
    const storage = sqliteStorage(file, { table: 'my_sqlite_trees' })
    await createListDelete(storage)
    await storage.create('alice', plant)
    await storage.close()
    expect(read(file, 'PRAGMA application_id')).toMatchObject({ application_id: 7 })
    expect(read(file, 'PRAGMA user_version')).toMatchObject({ user_version: 42 })
    expect(read(file, 'SELECT * FROM gardens')).toMatchObject({ name: 'Kew' })
    expect(read(file, 'SELECT * FROM my_sqlite_trees')).toMatchObject({
      owner: 'alice',
      id: 7,
      name: 'Monstera',
      tag: 'indoor',
    })
  })

  it('opens the file beside its -wal file, where a column needs a function that only the application has', async () => {
    const file = appFile()
    const app = openDatabase(file)
    app.function('slug', { deterministic: true }, (name) => String(name).toLowerCase())
    app.exec(`PRAGMA journal_mode = WAL; CREATE TABLE beds (name TEXT, slug TEXT AS (slug(name)) NOT NULL);
      INSERT INTO beds VALUES ('Alpine')`)
    await sqliteStorage(file, { table: 'order' }).close()
    const storage = openStorage(file, { table: 'order' })
    expect(await storage.create('alice', plant)).toBe(true)
  })

  it('uses a table of the application’s own migration, in any order, with columns that a create can leave out', async () => {
    const file = appFile()
    const app = openDatabase(file)
    app.exec(`CREATE TABLE plants (id integer not null, owner text not null, tag text, name text not null,
        primary key (owner, id));
      ALTER TABLE plants ADD COLUMN note TEXT;
      ALTER TABLE plants ADD COLUMN height INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE plants ADD COLUMN label TEXT AS (name || ' ' || height)`)
    const storage = openStorage(file, { table: 'plants' })
    expect(await storage.create('alice', plant)).toBe(true)
    expect(await storage.create('alice', plant)).toBe(false)
    expect(storage.list('alice', { limit: 9 })).toEqual([plant])
    expect(app.prepare('SELECT note, label FROM plants').get()).toMatchObject({
      note: null,
      label: 'Monstera 0',
    })
  })

  it.each([
    ['other columns', 'CREATE TABLE plants (id, genus)', 'id'],
    [
      'a key in another order',
      'CREATE TABLE plants (owner TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT, PRIMARY KEY (id, owner))',
      'id INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, tag TEXT, PRIMARY KEY (id, owner)',
    ],
    [
      'the columns of a view',
      'CREATE VIEW plants AS SELECT name AS owner, rowid AS id, name, name AS tag FROM gardens',
      'id INTEGER, name TEXT, owner TEXT, tag TEXT',
    ],
  ])('refuses a table that has %s, and changes nothing', (_, sql, found) => {
    const file = appFile(sql)
    const before = readFileSync(file)
    expect(() => sqliteStorage(file, { table: 'plants' })).toThrow(
      `Cannot open ${file}: its table plants is not a plant store's. It has (${found}), but must have (id INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, tag TEXT, PRIMARY KEY (owner, id)). Choose another table with the option { table }.`,
    )
    expect(readFileSync(file)).toEqual(before)
  })

  it('says that another unique index has refused a plant, whatever its collation', async () => {
    const file = appFile(`CREATE TABLE plants
      (owner TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT, PRIMARY KEY (owner, id));
      CREATE UNIQUE INDEX once ON plants (owner COLLATE NOCASE, id)`)
    const storage = openStorage(file, { table: 'plants' })
    await storage.create('alice', plant)
    await expect(storage.create('ALICE', plant)).rejects.toThrow('UNIQUE constraint failed')
    expect(await storage.create('alice', plant)).toBe(false)
  })

  const tableBy = (owner: string, key: string) =>
    `CREATE TABLE plants (${owner}, id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT, ${key})`
  it('compares owners exactly where only the column has another collation, and not its key', async () => {
    const owner = 'owner TEXT NOT NULL COLLATE NOCASE'
    const file = appFile(tableBy(owner, 'PRIMARY KEY (owner COLLATE BINARY, id)'))
    const storage = openStorage(file, { table: 'plants' })
    expect(await storage.create('alice', plant)).toBe(true)
    expect(storage.list('ALICE', { limit: 2 })).toEqual([])
    expect(storage.list('ALICE', { after: 0n, limit: 2 })).toEqual([])
    expect(await storage.delete('ALICE', 7n)).toBe(false)
    expect(await storage.create('ALICE', plant)).toBe(true)
    expect(await storage.create('ALICE', plant)).toBe(false)
    expect(storage.list('alice', { limit: 2 })).toEqual([plant])
  })

  const tableWith = (event: string, action: string) =>
    `${createTableStatement()}; CREATE TRIGGER noted AFTER ${event} ON plants BEGIN ${action}; END`
  const inexact = 'ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint'
  it.each([
    [inexact, tableBy('owner TEXT NOT NULL COLLATE NOCASE', 'PRIMARY KEY (owner, id)')],
    [inexact, tableBy('owner TEXT NOT NULL', 'PRIMARY KEY (owner COLLATE RTRIM, id)')],
    ['no such function: slug', tableWith('INSERT', 'SELECT slug(new.name)')],
    ['no such table: main.log', tableWith('DELETE', "INSERT INTO log VALUES ('seen')")],
  ])('refuses a table that can’t be written, and says why: %s, %s', (message, sql) => {
    const file = appFile(sql)
    const before = readFileSync(file)
    const refused = {
      message: expect.stringContaining(
        `Cannot open ${file}: its table plants can't be written: ${message}. Its key must compare owners by the collation BINARY`,
      ),
      cause: expect.objectContaining({ cause: expect.objectContaining({ message }) }),
    }
    expect(() => sqliteStorage(file, { table: 'plants' })).toThrow(expect.objectContaining(refused))
    expect(readFileSync(file)).toEqual(before)
  })
})
