import type { Pool, PoolConfig } from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { createListDelete, expectEachCallToThrow } from './each-call.ts'
import { usePostgres } from './use-postgres.ts'

const { poolWith } = usePostgres()
let tables = 0

/** A migrated table with what an app adds to it, `$table` being its name. */
async function guestWith(...app: string[]) {
  const pool = poolWith()
  const table = `guest_${tables++}`
  const storage = postgresStorage(pool, { table })
  await storage.migrate()
  for (const sql of app) await pool.query(sql.replaceAll('$table', table))
  return { storage, table }
}

const fern = { id: 7n, name: 'Fern' }
const oak = { id: 8n, name: 'Oak' }

describe('beside the schema of an app', () => {
  it('a trigger that skips a create or delete is an error, and no false answer', async () => {
    const { storage, table } = await guestWith(
      "INSERT INTO $table VALUES ('bob', 7, 'Fern')",
      `CREATE FUNCTION skip_$table() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RETURN CASE WHEN COALESCE(NEW.id, OLD.id) <> 7 THEN COALESCE(NEW, OLD) END; END $$`,
      'CREATE TRIGGER skip BEFORE INSERT OR DELETE ON $table FOR EACH ROW EXECUTE FUNCTION skip_$table()',
    )
    const message = (what: string) =>
      `PostgreSQL skipped a ${what} in the table "public"."${table}" without an error`
    await expect(storage.create('alice', fern)).rejects.toThrow(message('create'))
    await expect(storage.delete('bob', 7n)).rejects.toThrow(message('delete'))
    expect(await storage.create('bob', fern)).toBe(false)
    expect(await storage.delete('alice', 7n)).toBe(false)
    expect(await storage.create('alice', oak)).toBe(true)
    expect(await storage.delete('alice', 8n)).toBe(true)
  })

  it('row-level security that hides a plant from a delete is an error, and no false answer', async () => {
    const { table } = await guestWith(
      "INSERT INTO $table VALUES ('alice', 7, 'Fern')",
      'CREATE ROLE app_$table',
      'GRANT SELECT, INSERT, UPDATE, DELETE ON $table TO app_$table',
      'ALTER TABLE $table ENABLE ROW LEVEL SECURITY',
      'CREATE POLICY may_read ON $table FOR SELECT USING (true)',
    )
    const storage = postgresStorage(poolWith({ options: `-c role=app_${table}` }), { table })
    await expect(storage.delete('alice', 7n)).rejects.toThrow('add a policy for it')
    // PostgreSQL refuses a row that no policy allows.
    await expect(storage.create('alice', oak)).rejects.toThrow('row-level security')
    expect(await storage.list('alice', { limit: 9 })).toMatchObject([fern])
  })

  it('a trigger may change the name of a plant, but not its owner or id', async () => {
    const { storage } = await guestWith(
      `CREATE FUNCTION change_$table() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        NEW.name := upper(NEW.name);
        IF NEW.id = 1 THEN NEW.owner := 'bob'; END IF;
        IF NEW.id = 2 THEN NEW.id := 20; END IF;
        RETURN NEW; END $$`,
      'CREATE TRIGGER change BEFORE INSERT ON $table FOR EACH ROW EXECUTE FUNCTION change_$table()',
    )
    for (const id of [1n, 2n]) {
      await expect(storage.create('alice', { ...fern, id })).rejects.toThrow(
        'A trigger has given the plant another owner or id',
      )
    }
    expect(await storage.create('alice', fern)).toBe(true)
    expect(await storage.list('alice', { limit: 9 })).toEqual([{ ...fern, name: 'FERN' }])
    expect(await storage.list('bob', { limit: 9 })).toEqual([])
  })
})

async function storageIn(encoding: string) {
  const settings = `ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`
  await poolWith().query(`CREATE DATABASE ${encoding} ${settings}`)
  return postgresStorage(poolWith({ database: encoding.toLowerCase() }))
}

it('a database in SQL_ASCII keeps the bytes of each text', async () => {
  const storage = await storageIn('SQL_ASCII')
  await storage.migrate()
  await createListDelete(storage)
})

it('a database in LATIN1 is refused, by migrate and by each call', async () => {
  const storage = await storageIn('LATIN1')
  const message =
    'The encoding of this database is LATIN1, which cannot store every text. It must be UTF8: CREATE DATABASE'
  await expect(storage.migrate()).rejects.toThrow(message)
  await expectEachCallToThrow(storage, message)
})

describe('the search path', () => {
  const path = { options: '-c search_path=app,public' }

  async function database(name: string): Promise<(config?: PoolConfig) => Pool> {
    await poolWith().query(`CREATE DATABASE ${name}`)
    return (config) => poolWith({ database: name, ...config })
  }

  it('counts once: a table that appears in an earlier schema is not seen by a running store', async () => {
    const connect = await database('appearing')
    const pool = connect({ ...path, max: 4 })
    const storage = postgresStorage(pool)
    await storage.migrate()
    await storage.create('alice', fern)
    await pool.query('CREATE SCHEMA app; CREATE TABLE app.plants (LIKE plants INCLUDING ALL)')
    const lists = Array.from({ length: 8 }, () => storage.list('alice', { limit: 1 }))
    expect(await Promise.all(lists)).toEqual(Array(8).fill([fern]))
    expect(await storage.create('alice', fern)).toBe(false)
  })

  it('must not lead to a table that hides another, or to one of a later schema', async () => {
    const connect = await database('hiding')
    await postgresStorage(connect()).migrate()
    await connect().query('CREATE SCHEMA app')
    const storage = postgresStorage(connect(path))
    const message =
      'The table "app"."plants" does not exist, and would hide the table plants of the schema public, which is later in the search path. ' +
      "Pass { table: 'public.plants' } to use that one, or { table: 'app.plants' } for another table."
    await expect(storage.migrate()).rejects.toThrow(message)
    await expectEachCallToThrow(storage, message)
    for (const table of ['public.plants', 'app.plants']) {
      await postgresStorage(connect(path), { table }).migrate()
    }
  })

  it('must have a schema that exists', async () => {
    const storage = postgresStorage(poolWith({ options: '-c search_path=nowhere' }))
    await expect(storage.migrate()).rejects.toThrow('no schema has been selected to create in')
    await expectEachCallToThrow(storage, 'The table "plants" does not exist')
  })
})
