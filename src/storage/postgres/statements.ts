import { quotedOrKind } from '../../lib/kind-of.ts'
import type { StoredPlant } from '../../plant.ts'

/** The SQL of a plant store's table, for one table name. */
export interface PostgresStatements {
  /** Creates the table, or checks the columns of the one that exists. */
  readonly migrate: string
  /** Values: owner, id as text, name, tag or null. Returns a row if the plant was created. */
  readonly create: Statement
  /** Values: owner, the first id as text, limit. Returns a `PlantRow` for each plant. */
  readonly list: Statement
  /** Values: owner, id as text. Returns a row if the plant was deleted. */
  readonly delete: Statement
}

/** An SQL statement, and the name to prepare it under. */
export interface Statement {
  readonly name: string
  readonly text: string
}

const TABLE = /^(?:[a-z_]\w*\.)?[a-z_]\w*$/i
// PostgreSQL truncates the names of prepared statements to 63 bytes, and these contain the table's name.
const MAX_TABLE_LENGTH = 40

/**
 * Returns the statements for a table.
 *
 * @param table `table` or `schema.table`, case-sensitive
 * @throws TypeError if the name has other characters or is too long
 */
export function postgresStatements(table: string): PostgresStatements {
  assertTableName(table)
  // Quoted, since a plain identifier may still be a keyword, such as `order`.
  const quoted = table.replace(/\w+/g, '"$&"')
  const named = (operation: string, text: string) => ({
    // The name includes the table, since pooled connections are shared. SQL that changes needs another name:
    // behind a pooler, two versions of this package may meet on one connection.
    name: `plant-store-${operation}-${table}`,
    text,
  })
  // Drivers parse int8 as configured, often as a double, so ids are sent and returned as text.
  // RETURNING tells whether a row was written, since drivers differ in how they report the count.
  return {
    migrate: migration(table.includes('.'), quoted),

    create: named(
      'create',
      `INSERT INTO ${quoted} (owner, id, name, tag) VALUES ($1, $2::bigint, $3, $4)
    ON CONFLICT (owner, id) DO NOTHING RETURNING 1`,
    ),

    // ORDER BY qualifies the column: the alias of the same name is text, and '10' < '9'. The dots protect
    // the start of a text from PGlite, which treats U+FEFF there as a byte order mark and drops it.
    list: named(
      'list',
      `SELECT id::text AS id, '.' || name AS name, '.' || tag AS tag FROM ${quoted}
    WHERE owner = $1 AND ${quoted}.id >= $2::bigint ORDER BY ${quoted}.id LIMIT $3`,
    ),

    delete: named(
      'delete',
      `DELETE FROM ${quoted} WHERE owner = $1 AND id = $2::bigint RETURNING 1`,
    ),
  }
}

function assertTableName(table: unknown): void {
  if (typeof table === 'string' && TABLE.test(table) && table.length <= MAX_TABLE_LENGTH) return
  throw new TypeError(
    `table must be a name or schema.name of letters, digits and underscores, at most ${MAX_TABLE_LENGTH} characters; got ${quotedOrKind(table)}`,
  )
}

/**
 * One statement, so that every client can send it and it applies completely or not at all. If the table
 * exists, no right to create tables is needed.
 *
 * A page of an owner's plants is one read along the primary key. Owners are compared byte by byte
 * whatever the database's collation is, and an upgrade of the system's locales doesn't change their order.
 *
 * The columns tell whether the table is a plant store's. A second table for a version would have to be
 * kept together with this one wherever tables are distributed or copied, such as on the workers of Citus.
 */
function migration(hasSchema: boolean, quoted: string): string {
  // Without a schema, only the first schema of the search path counts: that is where tables are created.
  const place = hasSchema ? `'${quoted}'` : `quote_ident(current_schema()) || '.${quoted}'`
  return `
DO $migrate$
DECLARE
  place CONSTANT text := ${place};
  expected CONSTANT text := 'id bigint NOT NULL, name text NOT NULL, owner text NOT NULL, tag text, '
    'PRIMARY KEY (owner, id)';
  found text;
BEGIN
  -- Processes that start at the same time take turns. The key is the ASCII of "plants".
  PERFORM pg_advisory_xact_lock(x'706c616e7473'::bigint);

  IF to_regclass(place) IS NULL THEN
    CREATE TABLE ${quoted} (
      owner text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      name text NOT NULL,
      tag text,
      PRIMARY KEY (owner, id)
    );
    RETURN;
  END IF;

  SELECT concat_ws(', ',
    (SELECT string_agg(
        concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
          CASE WHEN attnotnull THEN 'NOT NULL' END),
        ', ' ORDER BY attname)
      FROM pg_attribute WHERE attrelid = place::regclass AND attnum > 0 AND NOT attisdropped),
    (SELECT pg_get_constraintdef(oid)
      FROM pg_constraint WHERE conrelid = place::regclass AND contype = 'p')
  ) INTO found;
  -- Empty if another process created the table after the snapshot of this serializable transaction.
  IF found NOT IN (expected, '') THEN
    RAISE EXCEPTION 'The table % is not a plant store''s table. It has (%), but must have (%). '
      'Choose another table with the option { table }.', place, found, expected
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$migrate$;
`
}

/** A row of the list statement: name and tag have a dot before them. */
export interface PlantRow {
  id: string
  name: string
  tag: string | null
}

/** Converts a row to a plant. */
export function toStoredPlant({ id, name, tag }: PlantRow): StoredPlant {
  const plant = { id: BigInt(id), name: name.slice(1) }
  return tag === null ? plant : { ...plant, tag: tag.slice(1) }
}
