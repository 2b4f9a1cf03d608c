import type { StoredPlant } from '../../plant.ts'

/**
 * The one table there is, the same in every backend that speaks SQLite: node:sqlite, Cloudflare D1 and
 * Durable Objects. Rows lie in the order of the primary key, so a page of an owner's plants is one
 * contiguous read. STRICT refuses what is no int64 or no text; text is compared byte by byte
 * (SQLite's default collation, BINARY), so owners are equal only when they are the same.
 */
export const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS plants (
    owner TEXT NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    tag TEXT,
    PRIMARY KEY (owner, id)
  ) STRICT, WITHOUT ROWID`

// D1 and Durable Objects speak doubles, which are exact up to 2^53 only: ids travel as decimal text
// and are integers in the table. On a bigint, which node:sqlite binds, the cast does nothing.

/** Parameters: owner, id (decimal text or bigint), name, tag or null. Changes 1 row, or 0 if it is taken. */
export const INSERT_PLANT = `
  INSERT INTO plants (owner, id, name, tag) VALUES (?, CAST(? AS INTEGER), ?, ?)
  ON CONFLICT DO NOTHING`

/** Parameters: owner, id (decimal text or bigint). Changes 1 row, or 0 if there is none. */
export const DELETE_PLANT = 'DELETE FROM plants WHERE owner = ? AND id = CAST(? AS INTEGER)'

// ORDER BY names the table, since the column's alias is text, and '10' < '9'.

/** Parameters: owner, limit. Rows: `PlantRow`. */
export const LIST_FROM_START = `
  SELECT CAST(id AS TEXT) AS id, name, tag FROM plants
  WHERE owner = ? ORDER BY plants.id LIMIT ?`

/** Parameters: owner, the id to go on after (decimal text or bigint), limit. Rows: `PlantRow`. */
export const LIST_AFTER = `
  SELECT CAST(id AS TEXT) AS id, name, tag FROM plants
  WHERE owner = ? AND plants.id > CAST(? AS INTEGER) ORDER BY plants.id LIMIT ?`

/** A row that the list statements answer with. */
export interface PlantRow {
  id: string
  name: string
  tag: string | null
}

/** Makes a plant of a row. */
export function toStoredPlant({ id, name, tag }: PlantRow): StoredPlant {
  return tag === null ? { id: BigInt(id), name } : { id: BigInt(id), name, tag }
}
