import { foreignTableError, missingTableError, type TableName } from '../shared/table.ts'
import { quotePostgresTable } from './statements.ts'

const DEFINITION =
  'id bigint NOT NULL, name text NOT NULL, owner text NOT NULL, tag text, PRIMARY KEY (owner, id)'

// SQL_ASCII keeps the bytes of UTF-8 as they are. Every other encoding lacks characters.
const ENCODINGS = ['UTF8', 'SQL_ASCII']

/** The database's description of the table: one row. */
export interface FoundPostgresTable {
  /** The schema of the option, or the first of the search path; null if none of the path exists. */
  readonly schema: string | null
  readonly encoding: string
  /**
   * What would make a statement wrong: the plant store's columns, the key, and what the table does with its rows. Empty if the
   * table is missing, or null if the driver turns empty text into it.
   */
  readonly definition: string | null
  /** The schema of the table that the search path finds by this name, if no schema is given. */
  readonly visible: string | null
}

/**
 * The statement that returns a `FoundPostgresTable`. It has no values.
 *
 * - A nondeterministic collation of `owner` treats different owners as one.
 * - A key doesn't count in tables that inherit from its table, as in partitioning by inheritance.
 * - PostgreSQL empties an unlogged table, and an unlogged partition at any level, after a crash.
 */
export function findPostgresTableSql({ schema, name }: TableName): string {
  // Statements find a table along the whole search path, but CREATE TABLE uses its first schema.
  const place = schema === undefined ? 'current_schema()' : literal(schema)
  const quoted = quotePostgresTable({ schema, name })
  const visible = schema === undefined ? `to_regclass(${literal(quoted)})` : 'NULL::regclass'
  return `SELECT place.schema, getdatabaseencoding()::text AS encoding,
  (SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE pg_class.oid = ${visible}) AS visible,
  concat_ws(', ',
    (SELECT string_agg(
        concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
          'COLLATE ' || quote_ident(collname), CASE WHEN attnotnull THEN 'NOT NULL' END),
        ', ' ORDER BY attname)
      FROM pg_attribute LEFT JOIN pg_collation
        ON pg_collation.oid = attcollation AND attname = 'owner' AND NOT collisdeterministic
      WHERE attrelid = found.oid AND attname IN ('owner', 'id', 'name', 'tag')),
    (SELECT pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = found.oid AND contype = 'p'),
    (SELECT 'tables that inherit from it' FROM pg_inherits
      WHERE inhparent = found.oid AND found.relkind = 'r' LIMIT 1),
    (WITH RECURSIVE tables AS (
        SELECT found.oid UNION ALL SELECT inhrelid FROM pg_inherits JOIN tables ON inhparent = tables.oid)
      SELECT 'UNLOGGED ' || oid::regclass FROM tables JOIN pg_class USING (oid)
        WHERE relpersistence = 'u' LIMIT 1)
  ) AS definition
FROM (SELECT ${place}::text AS schema) AS place
LEFT JOIN pg_namespace ON nspname = place.schema
LEFT JOIN pg_class AS found ON relnamespace = pg_namespace.oid AND relname = ${literal(name)}`
}

/** Quotes a text for SQL. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Throws unless the table exists and keeps plants exactly. */
export function assertPostgresTable(found: FoundPostgresTable, { name }: TableName): void {
  if (!ENCODINGS.includes(found.encoding)) {
    throw new Error(
      `The encoding of this database is ${found.encoding}, which cannot store every text. It must be UTF8: ` +
        "CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0",
    )
  }
  const place = quotePostgresTable({ schema: found.schema ?? undefined, name })
  if (!found.definition && found.visible !== null) {
    // A new table would hide the other one, and its plants, from everybody who uses this search path.
    throw new Error(
      `The table ${place} does not exist, and would hide the table ${name} of the schema ${found.visible}, which is later in the search path. Pass { table: '${found.visible}.${name}' } to use that one, or { table: '${found.schema}.${name}' } for another table.`,
    )
  }
  if (!found.definition) throw missingTableError(place, 'postgresMigration')
  // With quote_all_identifiers, every name is quoted. CockroachDB and YugabyteDB tell the order of a key.
  if (found.definition.replaceAll(/"| (?:ASC|HASH)\b| INCLUDE \([^)]*\)/g, '') !== DEFINITION) {
    throw foreignTableError(`The table ${place}`, found.definition, DEFINITION)
  }
}
