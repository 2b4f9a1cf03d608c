import { type Column, foreignTableReason } from '../sqlite/columns.ts'

/** Adds advice to D1's error about a missing table. */
export function explainTableError(error: any, table: string): unknown {
  const message = String(error?.message)
  if (!message.includes('no such table')) return error
  const advice = `Add the SQL of d1Migration({ table: '${table}' }) to the migrations, and run npx wrangler d1 migrations apply`
  return new Error(`${message}. ${advice}`, { cause: error })
}

/** The error for another application's table. */
export function foreignTableError(table: string, columns: readonly Column[]): Error {
  return new Error(
    `The ${foreignTableReason(table, columns)}. Choose another with the option { table }`,
  )
}
