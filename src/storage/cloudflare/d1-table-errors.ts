import { type Column, foreignTableReason } from '../sqlite/columns.ts'

const NO_TABLE = /no such table/

/** Adds advice to D1's error about a missing table. */
export function explainTableError(error: any, table: string): unknown {
  const message = String(error?.message)
  if (!NO_TABLE.test(message)) return error
  return new Error(
    `D1 says: ${message}. Save the SQL of d1Migration({ table: '${table}' }) in the migrations folder, ` +
      'then run npx wrangler d1 migrations apply, with --local or --remote.',
    { cause: error },
  )
}

/** The error for another application's table. */
export function foreignTableError(table: string, columns: readonly Column[]): Error {
  return new Error(
    `The ${foreignTableReason(table, columns)}. Choose another with the option { table } of d1Storage() and d1Migration()`,
  )
}
