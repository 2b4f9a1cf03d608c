/** A row of `SqliteStatements.columns`. Handles return integers as numbers, bigints or text, as their app has set. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number | bigint | string
  readonly dflt_value: string | null
  /** The position in the primary key, from 1; 0 if the column is not part of it. */
  readonly pk: number | bigint | string
}

const COLUMNS = ['id INTEGER NOT NULL', 'name TEXT NOT NULL', 'owner TEXT NOT NULL', 'tag TEXT']
const PRIMARY_KEY = 'PRIMARY KEY (owner, id)'

/**
 * Whether the statements work on a table with these columns, in any order. The application may have added columns
 * that are nullable or have a default.
 */
export function isPlantTable(columns: readonly Column[]): boolean {
  const found = columns.map(definitionOf)
  return (
    COLUMNS.every((column) => found.includes(column)) &&
    primaryKeyOf(columns) === PRIMARY_KEY &&
    unfilledColumns(columns).length === 0
  )
}

/** Says why a table can't be used. The caller begins the sentence, and adds what to do. */
export function foreignTableReason(table: string, columns: readonly Column[]): string {
  const found = [...columns.map(definitionOf).sort(), primaryKeyOf(columns)].filter(Boolean)
  const unfilled = unfilledColumns(columns)
  const without = unfilled.length > 0 ? `, and a default for ${unfilled.join(', ')}` : ''
  return `table ${table} is not a plant store's. It has (${found.join(', ')}), but must have (${[...COLUMNS, PRIMARY_KEY].join(', ')})${without}`
}

/** Lists the application's columns that a create leaves out although they need a value. */
function unfilledColumns(columns: readonly Column[]): string[] {
  return columns
    .filter(({ notnull, dflt_value }) => Number(notnull) === 1 && dflt_value === null)
    .map(definitionOf)
    .filter((column) => !COLUMNS.includes(column))
}

function definitionOf({ name, type, notnull }: Column): string {
  return `${name} ${type}${Number(notnull) === 1 ? ' NOT NULL' : ''}`.trim()
}

function primaryKeyOf(columns: readonly Column[]): string {
  const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  return key.length > 0 ? `PRIMARY KEY (${key.map(({ name }) => name).join(', ')})` : ''
}
