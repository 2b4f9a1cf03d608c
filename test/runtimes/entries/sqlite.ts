import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { testPlantStorage } from '../../../src/testing.ts'

const directory = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'))
const open = () => sqliteStorage(join(directory, 'plants.db'))

const tests: { name: string; run: () => Promise<void> }[] = []
testPlantStorage(
  {
    describe: (_name, define) => define(),
    it: (name, run) => tests.push({ name, run }),
  },
  open,
  { reopen: open, openSecond: open },
)

tests.push({
  name: 'gives its files, and a backup, to their owner only',
  async run() {
    const folder = await mkdtemp(join(directory, 'rights-'))
    const storage = sqliteStorage(join(folder, 'plants.db'))
    await storage.create('alice', { id: 7n, name: 'Monstera' })
    await storage.backup(join(folder, 'backup.db'))
    const names = ['plants.db', 'plants.db-wal', 'plants.db-shm', 'backup.db']
    const rights = names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
    await storage.close()
    if (process.platform === 'win32') return // It has other rights.
    if (rights.join() !== '600,600,600,600') throw new Error(`The rights are ${rights}`)
  },
})

tests.push({
  name: 'fails a create or delete alone that the schema of the app refuses',
  async run() {
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
    const found = [...seen, ...counts].join()
    if (!/^true,.*FOREIGN KEY.*,.*no weeds.*,true,1,2$/.test(found)) throw new Error(found)
  },
})

// One line a test: its name, and what is wrong.
for (const { name, run } of tests) {
  const problem = await run().then(
    () => null,
    (error) => String(error?.stack ?? error),
  )
  console.log(JSON.stringify({ name, problem }))
}
await rm(directory, { recursive: true })
