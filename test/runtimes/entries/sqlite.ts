import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import Libsql from 'libsql'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { testPlantStorage } from '../../../src/testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'plant-store-sqlite-'))
after(() => rmSync(directory, { recursive: true }))
const open = () => sqliteStorage(join(directory, 'plants.db'))

testPlantStorage({ describe, it }, open, { reopen: open, openSecond: open })

it('gives its files, and a backup, to their owner only', async () => {
  const folder = mkdtempSync(join(directory, 'rights-'))
  const storage = sqliteStorage(join(folder, 'plants.db'))
  await storage.create('alice', { id: 7n, name: 'Monstera' })
  await storage.backup(join(folder, 'backup.db'))
  const names = ['plants.db', 'plants.db-wal', 'plants.db-shm', 'backup.db']
  const rights = names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
  await storage.close()
  // Windows has other rights.
  if (process.platform !== 'win32') assert.deepEqual(rights, ['600', '600', '600', '600'])
})

const onBun = 'Bun' in globalThis

it('shares its file with bun:sqlite, the same copy of SQLite', { skip: !onBun }, async () => {
  const { Database } = await import('bun:sqlite' as string)
  const file = join(directory, 'shared.db')
  const storage = sqliteStorage(file)
  const app = new Database(file)
  for (let id = 1; id < 20; id += 2) {
    await storage.create('alice', { id: BigInt(id), name: 'Mint' })
    app.run("INSERT INTO plants VALUES ('alice', ?, 'Sage', NULL)", [id + 1])
  }
  assert.equal(storage.list('alice', { limit: 99 }).length, 20)
  app.close()
  await storage.close()
})

const onLinux = process.platform === 'linux'

it('refuses a file that another copy of SQLite has open', { skip: !onLinux }, async () => {
  const file = join(directory, 'copied.db')
  await sqliteStorage(file).close()
  const app = new Libsql(file)
  app.exec('SELECT * FROM plants')
  assert.throws(() => sqliteStorage(file), /is open in another copy of SQLite in this process/)
  app.close()
})

it('fails a create or delete alone that the schema of the app refuses', async () => {
  const file = join(directory, 'app.db')
  await sqliteStorage(file, { table: 'herbs' }).close()
  const app = new DatabaseSync(file)
  app.exec(`CREATE TABLE beds (owner TEXT, herb INTEGER,
      FOREIGN KEY (owner, herb) REFERENCES herbs (owner, id) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO herbs VALUES ('alice', 1, 'Sage', NULL);
      INSERT INTO beds VALUES ('alice', 1);
      CREATE TRIGGER no_weeds AFTER INSERT ON herbs WHEN new.name = 'Nettle'
      BEGIN SELECT RAISE(ROLLBACK, 'no weeds'); END`)
  app.close()
  const storage = sqliteStorage(file, { table: 'herbs' })
  const outcomes = await Promise.allSettled([
    storage.create('bob', { id: 1n, name: 'Mint' }),
    storage.delete('alice', 1n),
    storage.create('alice', { id: 2n, name: 'Nettle' }),
    storage.create('bob', { id: 2n, name: 'Thyme' }),
  ])
  const seen = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : `${one.reason}`))
  const counts = ['alice', 'bob'].map((owner) => storage.list(owner, { limit: 9 }).length)
  await storage.close()
  assert.match([...seen, ...counts].join(), /^true,.*FOREIGN KEY.*,.*no weeds.*,true,1,2$/)
})
