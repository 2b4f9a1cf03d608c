import type { StoredPlant } from '../../plant.ts'

/**
 * The table, and what else makes a database ready for this version of the store; made ready already,
 * it stays as it is, and the right to create tables isn't needed; a newer version's is refused. One
 * statement, so that every client can send it, and it happens whole or not at all.
 *
 * A page of an owner's plants is one read along the primary key. Owners are compared byte by byte
 * whatever the database's collation is, and their order never changes with a system's locales.
 */
export const MIGRATE = `
DO $migrate$
DECLARE
  there text := quote_ident(current_schema());
  version integer;
BEGIN
  -- Processes that start at once take turns; what is locked is the ASCII of "plants".
  PERFORM pg_advisory_xact_lock(x'706c616e7473'::bigint);

  IF to_regclass(there || '.plants_version') IS NULL THEN
    CREATE TABLE plants (
      owner text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      name text NOT NULL,
      tag text,
      PRIMARY KEY (owner, id)
    );
    CREATE TABLE plants_version (version integer NOT NULL);
    INSERT INTO plants_version VALUES (1);
  ELSIF to_regclass(there || '.plants') IS NULL THEN
    RAISE EXCEPTION 'plants_version is in the schema %, but plants is missing', there;
  -- Who only uses plants needn't have the right to read this.
  ELSIF has_table_privilege(there || '.plants_version', 'SELECT') THEN
    SELECT max(v.version) INTO version FROM plants_version v;
    IF version > 1 THEN
      RAISE EXCEPTION 'The plants are of version %, and this plant-store knows only 1', version;
    END IF;
  END IF;
END
$migrate$;
`

/** An SQL statement, and the name to prepare it by. */
export interface Statement {
  name: string
  text: string
}

// Drivers read int8 as they are told to, often as a double: ids travel as text and are cast here.
// Whether a row was written is told by RETURNING, since drivers differ in how they count.

/** Values: owner, id as text, name, tag or null. Rows: one if it was created. */
export const CREATE: Statement = {
  name: 'plant-store-create',
  text: `INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2::bigint, $3, $4)
    ON CONFLICT (owner, id) DO NOTHING RETURNING 1`,
}

/** Values: owner, the first id as text, limit. Rows: `PlantRow`. */
export const LIST: Statement = {
  name: 'plant-store-list',
  // ORDER BY names the table, since the column's alias is text, and '10' < '9'. The dots keep the start
  // of a text from PGlite, which takes U+FEFF there for a byte order mark and drops it.
  text: `SELECT id::text AS id, '.' || name AS name, '.' || tag AS tag FROM plants
    WHERE owner = $1 AND plants.id >= $2::bigint ORDER BY plants.id LIMIT $3`,
}

/** Values: owner, id as text. Rows: one if it was deleted. */
export const DELETE: Statement = {
  name: 'plant-store-delete',
  text: 'DELETE FROM plants WHERE owner = $1 AND id = $2::bigint RETURNING 1',
}

/** A row that `LIST` answers with: name and tag have a dot before them. */
export interface PlantRow {
  id: string
  name: string
  tag: string | null
}

/** Makes a plant of a row. */
export function toStoredPlant({ id, name, tag }: PlantRow): StoredPlant {
  const plant = { id: BigInt(id), name: name.slice(1) }
  return tag === null ? plant : { ...plant, tag: tag.slice(1) }
}
