import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { skipBecause } from '../../shared/skip.ts'
import { databaseFile, openStorage, plantOf } from './sqlite-files.ts'

const SECOND_COPY =
  "is open in another copy of SQLite in this process, for example better-sqlite3's or libsql's, and they don't see each other's locks. Pass the open handle to d1Storage, or keep the plants in a separate file"

const appFile = (journal: 'WAL' | 'DELETE' = 'WAL') =>
  databaseFile(`PRAGMA journal_mode = ${journal}; CREATE TABLE gardens (name TEXT)`)

/** Opens a file with the copy of SQLite in the package libsql, which reads it. */
function openCopy(file: string) {
  const app = new Libsql(file)
  onTestFinished(() => void app.close())
  app.exec('SELECT * FROM gardens') // A statement that is prepared would outlive close().
  return app
}

// Without the refusals, each create is acknowledged, and the commit of the other copy overwrites it.
describe('a file that another copy of SQLite in this process uses too', () => {
  skipBecause(process.platform === 'win32' && 'Windows gives locks to handles, not to the process')

  it('is not opened, and a transaction that is open there is not harmed', () => {
    const file = appFile()
    const app = openCopy(file)
    app.exec("BEGIN; INSERT INTO gardens VALUES ('Kew')")
    expect(() => sqliteStorage(file, { table: 'plants' })).toThrow(
      `Cannot open ${file}: it ${SECOND_COPY}`,
    )
    app.exec('COMMIT')
    expect(app.prepare('SELECT * FROM gardens').all()).toEqual([{ name: 'Kew' }])
  })

  it('is not opened while the other copy is in a transaction with a rollback journal', () => {
    const file = appFile('DELETE')
    const app = openCopy(file)
    app.exec("BEGIN; INSERT INTO gardens VALUES ('Kew')")
    expect(() => sqliteStorage(file, { table: 'plants' })).toThrow(
      `Cannot open ${file}: a transaction on it is open in this process. End it first`,
    )
    app.exec('COMMIT')
    expect(app.prepare('SELECT * FROM gardens').all()).toEqual([{ name: 'Kew' }])
    openStorage(file, { table: 'plants' })
  })

  it('is unavailable when the other copy opens it later', async () => {
    const file = appFile()
    const storage = openStorage(file, { table: 'plants' })
    await storage.create('bob', plantOf(1n))
    const app = openCopy(file)
    app.exec("BEGIN; INSERT INTO gardens VALUES ('Kew')")
    const refusal = { code: 'storage_unavailable', message: `${file} ${SECOND_COPY}` }
    for (const id of [2n, 3n]) {
      await expect(storage.create('alice', plantOf(id))).rejects.toMatchObject(refusal)
    }
    app.exec('COMMIT')
    expect(app.prepare('SELECT * FROM gardens').all()).toEqual([{ name: 'Kew' }])
    expect(storage.list('alice', { limit: 99 })).toEqual([])
  })
})
