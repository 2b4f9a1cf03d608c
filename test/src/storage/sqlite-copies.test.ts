import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { databaseFile, openStorage, plantOf } from './sqlite-files.ts'

const ids = Array.from({ length: 20 }, (_, id) => BigInt(id))
const SECOND_COPY =
  "is open in another copy of SQLite in this process, for example better-sqlite3's or libsql's, and they don't see each other's locks. Pass the open handle to d1Storage, or keep the plants in a separate file"

const appFile = (journalMode: string) =>
  databaseFile(`PRAGMA journal_mode = ${journalMode}; CREATE TABLE gardens (name TEXT)`)

/** Opens a file with the copy of SQLite in the package libsql, which reads it. */
function openCopy(file: string) {
  const app = new Libsql(file)
  onTestFinished(() => void app.close())
  app.exec('SELECT * FROM gardens') // A statement that is prepared would outlive close().
  return app
}

/** Creates plants within a transaction of the application, and expects each to be in the file or refused. */
async function expectNoLoss(storage: SqliteStorage, app: Libsql.Database, refusal: string) {
  app.exec("BEGIN; INSERT INTO gardens VALUES ('Kew')")
  for (const id of ids) {
    const created = storage.create('alice', plantOf(id))
    await expect(created).rejects.toMatchObject({ code: 'storage_unavailable', message: refusal })
  }
  app.exec('COMMIT')
  expect(app.prepare('SELECT * FROM gardens').all()).toEqual([{ name: 'Kew' }])
  expect(storage.list('alice', { limit: 99 })).toEqual([])
}

// Without the refusals, each create is acknowledged, and the commit of the other copy overwrites it.
describe('a file that another copy of SQLite in this process uses too', () => {
  skipBecause(process.platform === 'win32' && 'Windows gives locks to handles, not to the process')

  it('is not opened, and a transaction that is open there is not harmed', () => {
    const file = appFile('WAL')
    const app = openCopy(file)
    app.exec("BEGIN; INSERT INTO gardens VALUES ('Kew')")
    expect(() => sqliteStorage(file, { table: 'plants' })).toThrow(
      `Cannot open ${file}: it ${SECOND_COPY}`,
    )
    app.exec('COMMIT')
    expect(app.prepare('SELECT * FROM gardens').all()).toEqual([{ name: 'Kew' }])
  })

  it('is unavailable when the other copy opens it later', async () => {
    const file = appFile('WAL')
    const storage = openStorage(file, { table: 'plants' })
    await storage.create('bob', plantOf(1n))
    await expectNoLoss(storage, openCopy(file), `${file} ${SECOND_COPY}`)
  })

  it('is unavailable when the other copy has removed its -wal file by closing it', async () => {
    const file = appFile('WAL')
    const storage = openStorage(file, { table: 'plants' })
    await storage.create('alice', plantOf(1n))
    openCopy(file).close()
    const message = `${file}-wal was removed while it was open, by hand or by another copy of SQLite in this process. Put it back, or save the plants with backup() and restart`
    await expect(storage.create('alice', plantOf(2n))).rejects.toThrow(message)
    await storage.close()
    expect(openStorage(file, { table: 'plants' }).list('alice', { limit: 9 })).toEqual([
      plantOf(1n),
    ])
  })
})
