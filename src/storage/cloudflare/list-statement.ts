import type { PageQuery } from '../../plant-storage.ts'
import type { SqliteStatements } from '../sqlite/statements.ts'

/** Returns the statement that reads a page, and its values. */
export function listStatement(
  statements: SqliteStatements,
  owner: string,
  { after, limit }: PageQuery,
): [sql: string, ...values: (string | number)[]] {
  return after === undefined
    ? [statements.listFromStart, owner, limit]
    : [statements.listAfter, owner, String(after), limit]
}
