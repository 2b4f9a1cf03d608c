/** A row of `SqliteStatements.columns`. Handles return integers as numbers, bigints or text, as their app has set. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number | bigint | string
  /** The position in the primary key, from 1; 0 if the column is not part of it. */
  readonly pk: number | bigint | string
}

const EXPECTED =
  'id INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, tag TEXT, PRIMARY KEY (owner, id)'

export function isPlantTable(columns: readonly Column[]): boolean {
  return definitionOf(columns) === EXPECTED
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** Says why a table can't be used. The caller begins the sentence, and adds what to do. */
export function foreignTableReason(table: string, columns: readonly Column[]): string {
  return `table ${table} is not a plant store's. It has (${definitionOf(columns)}), but must have (${EXPECTED})`
}

/** Describes a table, by the names of its columns: their order in the table doesn't matter. */
function definitionOf(columns: readonly Column[]): string {
  const described = columns.map(({ name, type, notnull }) =>
    `${name} ${type}${Number(notnull) === 1 ? ' NOT NULL' : ''}`.trim(),
  )
  const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  const primaryKey = key.length > 0 ? [`PRIMARY KEY (${namesOf(key)})`] : []
  return [...described.sort(), ...primaryKey].join(', ')
}
