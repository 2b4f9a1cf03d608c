import { kindOf } from '../../lib/arguments.ts'

/** A row of text and nulls. */
export type TextRow = (string | null)[]

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

/** Returns the values of each row, which is an array or an object with the columns in their order. */
export function toRows(rows: object[]): TextRow[] {
  return rows.map((row) => Object.values(row).map((value) => (value === null ? null : `${value}`)))
}

/** Returns how many rows a statement has changed. */
export function changedRows(result: any): number {
  const { affectedRows } = Object(result)
  if (typeof affectedRows === 'number') return affectedRows
  throw clientError('an object with affectedRows', result)
}

function clientError(expected: string, got: unknown): TypeError {
  // metaAsArray of mariadb makes [result, columns] of a result.
  const isPair = Array.isArray(got) && got.length === 2 && Array.isArray(got[0])
  const advice = isPair
    ? 'Leave out metaAsArray of mariadb'
    : 'Wrap a pool of mariadb: { execute: async (statement, values) => [await pool.execute(statement, values)] }'
  return new TypeError(
    `execute() of the client must resolve to [result], as mysql2's does, here with ${expected} as result; got ${kindOf(got)}. ${advice}`,
  )
}
