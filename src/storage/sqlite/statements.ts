import { quotedOrKind } from '../../lib/arguments.ts'
import type { StoredPlant } from '../../plant.ts'

/** The name of the table unless the user gives one. */
export const OWN_TABLE = 'plants'

/**
 * Returns the statements for every backend that speaks SQLite: node:sqlite, Cloudflare D1 and Durable
 * Objects.
 *
 * Owners are compared byte by byte (BINARY), regardless of the collation of a column that the application has made.
 *
 * @throws TypeError if the table name is not a plain identifier
 */
export function sqliteStatements(table = OWN_TABLE) {
  const name = quotedTableName(table)
  // COLLATE in a comparison takes precedence over the column's.
  const isOwner = 'owner = ? COLLATE BINARY'
  // D1 and Durable Objects pass numbers as doubles, which are exact up to 2^53 only. So ids are bound
  // and read as decimal text, and stored as integers. Casting a bigint, which node:sqlite binds, is free.
  return {
    /** Rows: `Column`, for a table or a view; none if it is missing. */
    // Not its form as a function in a SELECT: D1 documents this one
    // (https://developers.cloudflare.com/d1/sql-api/sql-statements/#compatible-pragma-statements).
    columns: `PRAGMA table_info(${name})`,

    /** Parameters: owner, id (decimal text or bigint), name, tag or null. Changes 0 rows if the id is taken. */
    create: `
  INSERT INTO ${name} (owner, id, name, tag) VALUES (?, CAST(? AS INTEGER), ?, ?)
  ON CONFLICT (owner COLLATE BINARY, id) DO NOTHING`,

    /** Parameters: owner, id (decimal text or bigint). Changes 0 rows if no plant has the id. */
    delete: `DELETE FROM ${name} WHERE ${isOwner} AND id = CAST(? AS INTEGER)`,

    /** Parameters: owner, id (decimal text or bigint). One row if a plant has the id. */
    find: `SELECT 1 FROM ${name} WHERE ${isOwner} AND id = CAST(? AS INTEGER)`,

    /** Parameters: owner, the smallest id (decimal text or bigint), limit. Rows: `SqliteRow`. */
    // ORDER BY qualifies the column: the alias of the same name is text, and '10' < '9'.
    list: `
  SELECT CAST(id AS TEXT) AS id, name, tag FROM ${name}
  WHERE ${isOwner} AND ${name}.id >= CAST(? AS INTEGER) ORDER BY ${name}.id LIMIT ?`,
  }
}

/**
 * Returns the SQL that creates the table. It does nothing if a table of that name exists, with any columns.
 *
 * Rows are stored in the order of the primary key, so a page of an owner's plants is one contiguous read. STRICT rejects
 * values of the wrong type.
 *
 * @throws TypeError if the table name is not a plain identifier
 */
export function createTableStatement(table = OWN_TABLE): string {
  return `
  CREATE TABLE IF NOT EXISTS ${quotedTableName(table)} (
    owner TEXT NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    tag TEXT,
    PRIMARY KEY (owner, id)
  ) STRICT, WITHOUT ROWID`
}

/** Quoted, since a plain identifier may be a keyword: `order`. */
function quotedTableName(table: unknown): string {
  if (typeof table !== 'string' || !/^[a-z_][a-z0-9_]*$/i.test(table) || /^sqlite_/i.test(table)) {
    throw new TypeError(
      `table must be a name of letters, digits and underscores that does not start with a digit or sqlite_; got ${quotedOrKind(table)}`,
    )
  }
  return `"${table}"`
}

/** A row of the list statements. */
export interface SqliteRow {
  id: string
  name: string
  tag: string | null
}

/** Converts a row to a plant. */
export function fromSqliteRow({ id, name, tag }: SqliteRow): StoredPlant {
  return tag === null ? { id: BigInt(id), name } : { id: BigInt(id), name, tag }
}

/**
 * The error for a change that SQLite has ignored. Without it, a client would be told that the id is taken, or that there is
 * no such plant.
 */
export function ignoredError(operation: 'create' | 'delete'): Error {
  return new Error(
    `SQLite ignored the ${operation}, by RAISE(IGNORE) in a trigger or ON CONFLICT IGNORE of a constraint. To refuse a ${operation}, use RAISE(ABORT, 'the reason') or ON CONFLICT ABORT`,
  )
}
