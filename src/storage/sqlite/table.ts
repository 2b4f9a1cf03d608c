/** A row of the statement `columns`. Handles return integers as numbers, bigints or text, as their app has set. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number | bigint | string
  /** The position in the primary key, from 1; 0 if the column is not part of it. */
  readonly pk: number | bigint | string
}

/** The definition of a plant store's table. */
export const DEFINITION =
  'id INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, tag TEXT, PRIMARY KEY (owner, id)'

/** Describes what would make a statement wrong: the plant store's columns and the key. */
export function definitionOf(columns: readonly Column[]): string {
  const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  const own = columns.filter(({ name }) => ['id', 'name', 'owner', 'tag'].includes(name))
  return [
    ...own.map(describeSqliteColumn).sort(),
    ...(key.length > 0 ? [`PRIMARY KEY (${key.map(({ name }) => name).join(', ')})`] : []),
  ].join(', ')
}

function describeSqliteColumn({ name, type, notnull }: Column): string {
  return `${name} ${type}${Number(notnull) === 1 ? ' NOT NULL' : ''}`.trim()
}
