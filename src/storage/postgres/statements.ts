import type { StoredPlant } from '../../plant.ts'
import { parseTableName, quoteTableName, type TableName } from '../shared/table.ts'

// PostgreSQL truncates the names of prepared statements to 63 bytes, and these contain the table's name.
const MAX_LENGTH = 40

/** Parses the option `table`: `table` or `schema.table`, case-sensitive. */
export function parsePostgresTable(table: unknown): TableName {
  const rule = `a name or schema.name of letters, digits and underscores, at most ${MAX_LENGTH} characters`
  return parseTableName(table, MAX_LENGTH, rule)
}

/** Quotes the name for SQL. */
export function quotePostgresTable(table: TableName): string {
  return quoteTableName(table, '"')
}

/**
 * A page of an owner's plants is one read along the primary key. Owners are compared byte by byte
 * whatever the database's collation is, and an upgrade of the system's locales doesn't change their order.
 */
export function postgresTableSql(table: TableName): string {
  return `CREATE TABLE IF NOT EXISTS ${quotePostgresTable(table)} (
  owner text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  tag text,
  PRIMARY KEY (owner, id)
);
`
}

/** An SQL statement, and the name to prepare it under. Each of its rows has an `id`, which is text. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** The statements for a table. */
export type PostgresStatements = ReturnType<typeof postgresStatements>

/** Returns the statements for a table. */
export function postgresStatements(table: TableName) {
  const quoted = quotePostgresTable(table)
  // Pooled connections are shared: by tables, and behind a pooler by versions of this package. So the name
  // has the table and a hash of the SQL. It fits into the 63 bytes that PostgreSQL compares.
  const named = (operation: string, text: string): Statement => ({
    name: `plants-${operation}-${hashOf(text)}-${table.name}`,
    text,
  })
  // Drivers parse int8 as configured, often as a double, so ids are sent and returned as text.
  // RETURNING tells whether a row was written, since drivers differ in how they report the count. The cast of a
  // text that is not a number fails, so that nothing is stored under another key than the one acknowledged.
  return {
    /** Values: owner, id as text, name, tag or null. Returns a row if the plant was created. */
    create: named(
      'create',
      `INSERT INTO ${quoted} (owner, id, name, tag) VALUES ($1, $2::bigint, $3, $4)
    ON CONFLICT (owner, id) DO NOTHING RETURNING CASE WHEN owner = $1 AND id = $2::bigint THEN id::text
    ELSE ('A trigger has given the plant another owner or id: ' || id)::bigint::text END AS id`,
    ),

    /** Values: owner, the first id as text, limit. Returns a `PostgresRow` for each plant. */
    // ORDER BY qualifies the column: the alias of the same name is text, and '10' < '9'. The dots protect
    // the start of a text from PGlite, which treats U+FEFF there as a byte order mark and drops it.
    list: named(
      'list',
      `SELECT id::text AS id, '.' || name AS name, '.' || tag AS tag FROM ${quoted} AS plants
    WHERE owner = $1 AND plants.id >= $2::bigint ORDER BY plants.id LIMIT $3`,
    ),

    /** Values: owner, id as text. Returns a row if the plant was deleted. */
    delete: named(
      'delete',
      `DELETE FROM ${quoted} WHERE owner = $1 AND id = $2::bigint RETURNING id::text AS id`,
    ),

    /** Values: owner, id as text. Returns a row if there is such a plant. */
    find: named(
      'find',
      `SELECT id::text AS id FROM ${quoted} WHERE owner = $1 AND id = $2::bigint`,
    ),
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return (hash >>> 0).toString(36)
}

/** A row of the list statement: name and tag have a dot before them. */
export interface PostgresRow {
  id: string
  name: string
  tag: string | null
}

/** Converts a row to a plant. */
export function fromPostgresRow({ id, name, tag }: PostgresRow): StoredPlant {
  const plant = { id: BigInt(id), name: name.slice(1) }
  return tag === null ? plant : { ...plant, tag: tag.slice(1) }
}
