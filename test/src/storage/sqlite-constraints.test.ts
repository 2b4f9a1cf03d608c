import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { findViolations, recordCalls } from '../../faults/history.ts'
import { random } from '../../shared/random.ts'
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

it.each(REFUSALS)(
  'a create that %s refuses in sqliteStorage fails alone, and nothing of it is stored',
  async (_, schema, message) => {
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
  },
)

it('sqliteStorage lists the name that a trigger has given a plant', async () => {
  const { storage } = await openBeside(`CREATE TRIGGER rename AFTER INSERT ON ${TABLE} BEGIN
    UPDATE ${TABLE} SET name = upper(name) WHERE owner = new.owner AND id = new.id; END`)
  expect(await storage.create('alice', plantOf(1, 'Fern'))).toBe(true)
  expect(storage.list('alice', { limit: 9 })).toEqual([plantOf(1, 'FERN')])
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
  'concurrent calls to sqliteStorage stay linearizable, and what the application’s schema refuses has no effect: %s',
  async (action) => {
    const { storage, app } = await openBeside(`
      ${trigger('AFTER INSERT', `SELECT RAISE(${action}, 'no weeds')`)};
      CREATE TABLE labels (owner TEXT, plant INTEGER,
        FOREIGN KEY (owner, plant) REFERENCES ${TABLE} (owner, id) DEFERRABLE INITIALLY DEFERRED)`)
    const { calls, ...recorded } = recordCalls(storage)
    await recorded.create('alice', plantOf(1))
    app.exec("INSERT INTO labels VALUES ('alice', 1)")
    const dice = random(1)
    const running: Promise<boolean>[] = []
    for (let count = 0; count < 400; count++) {
      const owner = dice.pick(['alice', 'bob'])
      const plant = plantOf(dice.below(4), dice.pick(['bad', `Plant of call ${count}`]))
      const call = dice.pick([
        () => recorded.create(owner, plant),
        () => recorded.delete(owner, plant.id),
        () => recorded.list(owner),
      ])
      if (dice.below(2) === 0) await setImmediate()
      running.push(call())
    }
    await Promise.all(running)
    await Promise.all([recorded.list('alice'), recorded.list('bob')])
    const refused = calls.filter(({ error }) => error)
    expect(refused.length).toBeGreaterThan(20)
    for (const { kind, error } of refused) {
      expect(`${error}`).toMatch(kind === 'create' ? /no weeds$/ : /FOREIGN KEY/)
    }
    // They must have had no effect, so that the others can be explained without them.
    expect(findViolations(calls.filter((call) => !refused.includes(call)))).toEqual([])
  },
)
