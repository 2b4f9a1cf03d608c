import { Buffer } from 'node:buffer'
import { kindOf } from '../../lib/arguments.ts'
import type { StoredPlant } from '../../plant.ts'
import { parseTableName, quoteTableName, type TableName } from '../shared/table.ts'

/** As long as an owner may be with every storage. With the id, it fits into a key of a page of 8 KiB too. */
const MAX_OWNER_BYTES = 1404

/** Parses the option `table`: `table` or `database.table`. */
export function parseMysqlTable(table: unknown): TableName {
  const rule =
    'a name or database.name of letters, digits and underscores, at most 64 characters each'
  return parseTableName(table, 2 * 64 + 1, rule)
}

/** Quotes the name for SQL. */
export function quoteMysqlTable(table: TableName): string {
  return quoteTableName(table, '`')
}

/**
 * Owners are bytes, since collations disregard case, accents or spaces at the end. utf8mb4_bin is as exact for names
 * and tags, if an app compares them.
 */
export function mysqlTableSql(table: TableName): string {
  return `CREATE TABLE IF NOT EXISTS ${quoteMysqlTable(table)} (
  owner VARBINARY(${MAX_OWNER_BYTES}) NOT NULL,
  id BIGINT NOT NULL,
  name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  tag LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  PRIMARY KEY (owner, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
`
}

/** The statements for a table. */
export type MysqlStatements = ReturnType<typeof mysqlStatements>

/** Returns the statements for a table. They mean the same in every `sql_mode`. */
export function mysqlStatements(table: TableName) {
  const quoted = quoteMysqlTable(table)
  // Text is sent and returned as bytes, and ids as digits. So no character set of the connection or the server
  // applies to them, and no setting of the driver decides what becomes of a BIGINT.
  const text = "CONVERT(INSERT(CAST(? AS BINARY), 1, 1, x'') USING utf8mb4)"
  const key = 'owner = CAST(? AS BINARY) AND id = CAST(? AS SIGNED)'
  return {
    /** Values: owner, id as text, name and tag, or null, by `textBytes`. Fails if the owner has the id. */
    create: `INSERT INTO ${quoted} (owner, id, name, tag)
    VALUES (CAST(? AS BINARY), CAST(? AS SIGNED), ${text}, ${text})`,

    /** Values: owner, the first id as text, limit as text. Returns a row for each plant, for `fromMysqlRow`. */
    // ORDER BY qualifies the column: the alias of the same name is text, and '10' < '9'. CAST AS BINARY would turn
    // a text that is larger than max_allowed_packet into NULL.
    list: `SELECT CAST(id AS CHAR) AS id, CONVERT(name USING binary) AS name, CONVERT(tag USING binary) AS tag
    FROM ${quoted} AS plants
    WHERE owner = CAST(? AS BINARY) AND plants.id >= CAST(? AS SIGNED) ORDER BY plants.id LIMIT ?`,

    /** Values: owner. Returns one row: the owner's largest id as text, or null. */
    last: `SELECT CAST(MAX(id) AS CHAR) AS id FROM ${quoted} WHERE owner = CAST(? AS BINARY) LIMIT 1`,

    /** Values: owner, id as text. */
    delete: `DELETE FROM ${quoted} WHERE ${key}`,

    /** Values: owner, id as text. Returns a row if there is such a plant. */
    // sql_select_limit applies to a SELECT without LIMIT.
    find: `SELECT 1 FROM ${quoted} WHERE ${key} LIMIT 1`,
  }
}

/** A name or tag. The dot protects an empty one: in MariaDB's EMPTY_STRING_IS_NULL, '' would be NULL. */
export function textBytes(text: string): Buffer {
  return Buffer.from(`.${text}`)
}

/**
 * An owner as drivers send it without a look at a character set.
 *
 * @throws RangeError if the owner is too long. Without its strict mode the server would shorten it to another one
 */
export function ownerBytes(owner: string): Buffer {
  const bytes = Buffer.from(owner)
  if (bytes.length <= MAX_OWNER_BYTES) return bytes
  throw new RangeError(
    `An owner must have at most ${MAX_OWNER_BYTES} bytes of UTF-8; got ${bytes.length}`,
  )
}

/** Converts a row of the list statement to a plant. It may be an array, or an object with the columns in their order. */
export function fromMysqlRow(row: object): StoredPlant {
  const [id, name, tag]: unknown[] = Object.values(row)
  // Name and tag are Buffers, whose toString() decodes UTF-8.
  const plant = { id: BigInt(String(id)), name: String(name) }
  return tag === null ? plant : { ...plant, tag: String(tag) }
}

/** A row of text and nulls. */
export type TextRow = (string | null)[]

/** Returns the values of each row, which is an array or an object with the columns in their order. */
export function toRows(rows: object[]): TextRow[] {
  return rows.map((row) => Object.values(row).map((value) => (value === null ? null : `${value}`)))
}

/**
 * Returns the values of a result's only row. A client that unwraps results once too often or too rarely would turn
 * every list into an empty one and every delete into `false`, so its first result is looked at.
 *
 * @throws TypeError if the result is not one row of so many values
 */
export function onlyRow(rows: unknown, columns: number): TextRow {
  if (Array.isArray(rows) && rows.length === 1) {
    const [row] = toRows(rows)
    if (row?.length === columns) return row
  }
  throw clientError('rows', rows)
}

/** The status that the server sends with the result of a change, and that mysql2 passes on. */
const IN_TRANSACTION = 1

/**
 * Returns how many rows a statement has changed.
 *
 * @throws TypeError if the result doesn't tell; Error if the change isn't committed
 */
export function changedRows(result: any): number {
  const { affectedRows, serverStatus } = Object(result)
  if (typeof affectedRows !== 'number') throw clientError('an object with affectedRows', result)
  if (serverStatus & IN_TRANSACTION) {
    throw new Error(
      'The connection is in a transaction that the app has left open, or its autocommit is off, so this change is not committed. End each transaction before its connection is released, and do not pass the connection of a transaction.',
    )
  }
  return affectedRows
}

function clientError(expected: string, got: unknown): TypeError {
  return new TypeError(
    `execute() of the client must resolve to [result], as mysql2's does, here with ${expected} as result; got ${kindOf(got)}. Wrap a pool of mariadb: { execute: async (statement, values) => [await pool.execute(statement, values)] }`,
  )
}
