import { describe, expect, it } from 'vitest'
import { kindOf } from '../../../src/lib/arguments.ts'
import { d1Migration, d1Storage } from '../../../src/storage/d1.ts'
import { mysqlMigration, mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresMigration, postgresStorage } from '../../../src/storage/postgres.ts'

const client = {
  query: () => expect.unreachable('was asked'),
  execute: () => expect.unreachable('was asked'),
  prepare: () => expect.unreachable('was asked'),
}

const storages = [
  {
    name: 'postgres',
    storage: postgresStorage as any,
    migration: postgresMigration as any,
    needs: 'a client with query(text, values), such as new Pool({ connectionString }) of pg',
    method: 'query',
    table: 'a name or schema.name of letters, digits and underscores, at most 40 characters',
    tables: ['a.b.c', '.a', 'a.', 'a'.repeat(41)],
  },
  {
    name: 'mysql',
    storage: mysqlStorage as any,
    migration: mysqlMigration as any,
    needs: 'a client with execute(statement, values), such as createPool(url) of mysql2',
    method: 'execute',
    table: 'a name or database.name of letters, digits and underscores, at most 64 characters each',
    tables: ['a.b.c', '.a', 'a.', 'a'.repeat(65)],
  },
  {
    name: 'd1',
    storage: d1Storage as any,
    migration: d1Migration as any,
    needs: 'a binding of d1_databases, such as env.PLANTS',
    method: 'prepare',
    table: 'a name of letters, digits and underscores that does not start with a digit or sqlite_',
    tables: ['a.b', 'sqlite_a'],
  },
]

describe.each(storages)('$name', ({ name, storage, migration, needs, method, table, tables }) => {
  it('says what it needs, and what it got', () => {
    const got: [unknown, string][] = [
      ['postgres://alice:s3cret@db/plants', 'a string'],
      [undefined, 'undefined'],
      [null, 'null'],
      [{ connectionString: 'postgres://db' }, `an object without ${method}()`],
    ]
    for (const [value, kind] of got) {
      expect(() => storage(value)).toThrow(
        new TypeError(`${name}Storage needs ${needs}; got ${kind}`),
      )
    }
  })

  it('says what it needs, if a function returns something else', async () => {
    const list = async () => storage(() => {}).list('alice', { limit: 1 })
    await expect(list()).rejects.toThrow(`${name}Storage needs ${needs}; got`)
  })

  it('refuses a misspelt option, and takes undefined for none', () => {
    const options = { tabel: 'trees' }
    expect(() => storage(client, options)).toThrow(`${name}Storage has no option tabel`)
    expect(() => migration(options)).toThrow(`${name}Migration has no option tabel`)
    expect(migration({ table: undefined })).toBe(migration())
    storage(client, { table: undefined })
  })

  it.each<any>([
    ...['', 'a b', 'a`b', 'a"b', "a'b", 'a; b', '1a', 'plänts', 'a\n', {}, null],
    ...tables,
  ])('refuses a table that is not a plain name: %j', (wrong) => {
    const got = typeof wrong === 'string' ? `'${wrong}'` : kindOf(wrong)
    const error = new TypeError(`table must be ${table}; got ${got}`)
    expect(() => migration({ table: wrong })).toThrow(error)
    expect(() => storage(client, { table: wrong })).toThrow(error)
  })
})
