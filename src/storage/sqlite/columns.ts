/** A row of `SqliteStatements.columns`. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  /** The position in the primary key, from 1; 0 if the column is not part of it. */
  readonly pk: number
}

/** The columns of a plant store's table: name, type, NOT NULL, position in the primary key. */
const COLUMNS = ['owner TEXT 1 1', 'id INTEGER 1 2', 'name TEXT 1 0', 'tag TEXT 0 0']
const EXPECTED =
  'owner TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT, PRIMARY KEY (owner, id)'

export function isPlantTable(columns: readonly Column[]): boolean {
  const found = columns.map(({ name, type, notnull, pk }) => `${name} ${type} ${notnull} ${pk}`)
  return found.join() === COLUMNS.join()
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** Says why a table can't be used. The caller begins the sentence, and adds what to do. */
export function foreignTableReason(table: string, columns: readonly Column[]): string {
  return `table ${table} is not a plant store's: the columns are ${namesOf(columns)}. Expected ${EXPECTED}`
}
