const NO_TABLE = /no such table/
// A missing column, another primary key, or a column that only another application fills.
const OTHER_TABLE = /no such column|no column named|ON CONFLICT clause|NOT NULL constraint/

/** Adds advice to D1's errors about a missing or foreign table. */
export function explainTableError(error: any, table: string): unknown {
  const message = String(error?.message)
  if (NO_TABLE.test(message)) {
    return new Error(
      `D1 says: ${message}. Save the SQL of d1Migration({ table: '${table}' }) in the migrations folder, ` +
        'then run npx wrangler d1 migrations apply, with --local or --remote.',
      { cause: error },
    )
  }
  if (OTHER_TABLE.test(message)) {
    return new Error(
      `D1 says: ${message}. The table ${table} is not a plant store's table. Choose another with the ` +
        'option { table } of d1Storage() and d1Migration().',
      { cause: error },
    )
  }
  return error
}
