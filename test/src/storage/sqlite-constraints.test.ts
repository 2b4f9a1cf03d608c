import { describe, expect, it } from 'vitest'
import { checkRefusedCalls } from './refused-calls.ts'
import { openDatabase, openStorage, storeFile } from './sqlite-files.ts'

const TABLE = 'garden_plants'

/** Opens a storage in an application's database, whose schema acts on the plants too. */
async function openBeside(schema: string) {
  const file = await storeFile('', { table: TABLE })
  const app = openDatabase(file)
  app.exec(schema)
  return { storage: openStorage(file, { table: TABLE }), app }
}

const plantOf = (id: number, name = `Plant ${id}`) => ({ id: BigInt(id), name })
const trigger = (event: string, action: string) => `
  CREATE TABLE log (line);
  CREATE TRIGGER refuse ${event} ON ${TABLE} WHEN new.name = 'bad' BEGIN
    INSERT INTO log VALUES ('seen'); ${action};
  END`

/** Refuses to delete a plant that is named. */
const references = (when: string) => `
  CREATE TABLE labels (owner TEXT, plant INTEGER,
    FOREIGN KEY (owner, plant) REFERENCES ${TABLE} (owner, id) ${when});
  INSERT INTO ${TABLE} VALUES ('alice', 1, 'Labelled', NULL); INSERT INTO labels VALUES ('alice', 1)`

const REFUSALS = [
  ['RAISE(FAIL)', trigger('AFTER INSERT', "SELECT RAISE(FAIL, 'no weeds')"), 'no weeds'],
  ['RAISE(ROLLBACK)', trigger('AFTER INSERT', "SELECT RAISE(ROLLBACK, 'no weeds')"), 'no weeds'],
  ['RAISE(IGNORE)', trigger('BEFORE INSERT', 'SELECT RAISE(IGNORE)'), 'ignored the create'],
  [
    'a constraint with ON CONFLICT IGNORE',
    `DROP TABLE ${TABLE}; CREATE TABLE ${TABLE} (owner TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,
      tag TEXT, PRIMARY KEY (owner, id), UNIQUE (name) ON CONFLICT IGNORE);
      INSERT INTO ${TABLE} VALUES ('z', 0, 'bad', NULL)`,
    'ON CONFLICT IGNORE of a constraint',
  ],
  [
    'a unique index',
    `CREATE UNIQUE INDEX name_once ON ${TABLE} (name); INSERT INTO ${TABLE} VALUES ('z', 0, 'bad', NULL)`,
    `UNIQUE constraint failed: ${TABLE}.name`,
  ],
  [
    'a foreign key that is checked by the commit',
    `CREATE TABLE beds (id INTEGER PRIMARY KEY);
      CREATE TABLE labels (bed INTEGER REFERENCES beds DEFERRABLE INITIALLY DEFERRED);
      ${trigger('AFTER INSERT', 'INSERT INTO labels VALUES (7)')}`,
    'FOREIGN KEY constraint failed',
  ],
] as const

describe.each(REFUSALS)('a create that %s refuses in sqliteStorage', (_, schema, message) => {
  it('fails alone, and nothing of it is stored', async () => {
    const { storage, app } = await openBeside(schema)
    const names = ['Aloe', 'bad', 'Basil', 'bad', 'Cress']
    const outcomes = await Promise.allSettled(
      names.map((name, id) => storage.create(name === 'bad' ? 'alice' : 'bob', plantOf(id, name))),
    )
    // Not a StorageUnavailableError.
    const refused = { reason: { name: 'Error', message: expect.stringContaining(message) } }
    expect(outcomes).toMatchObject([
      { value: true },
      refused,
      { value: true },
      refused,
      { value: true },
    ])
    expect(storage.list('alice', { limit: 9 })).toEqual([])
    expect(storage.list('bob', { limit: 9 })).toHaveLength(3)
    if (schema.includes('log')) expect(app.prepare('SELECT * FROM log').all()).toEqual([])
  })
})

it('sqliteStorage refuses a delete that a trigger ignored', async () => {
  const { storage } = await openBeside(`
    INSERT INTO ${TABLE} VALUES ('alice', 1, 'Kept', NULL);
    CREATE TRIGGER keep BEFORE DELETE ON ${TABLE} BEGIN SELECT RAISE(IGNORE); END`)
  await expect(storage.delete('alice', 1n)).rejects.toThrow('ignored the delete')
  expect(await storage.delete('alice', 2n)).toBe(false)
  expect(storage.list('alice', { limit: 9 })).toHaveLength(1)
})

it.each(['ABORT', 'FAIL', 'ROLLBACK'])(
  'concurrent calls to sqliteStorage stay linearizable, whatever the application’s schema refuses: %s',
  async (action) => {
    const schema = `
      ${trigger('AFTER INSERT', `SELECT RAISE(${action}, 'no')`)};
      ${references('DEFERRABLE INITIALLY DEFERRED')}`
    const open = async () => (await openBeside(schema)).storage
    await checkRefusedCalls(open, /no$|FOREIGN KEY/)
  },
)
