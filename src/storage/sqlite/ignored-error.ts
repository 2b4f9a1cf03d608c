/**
 * The error for a change that SQLite has ignored. Without it, a client would be told that the id is taken, or that there is
 * no such plant.
 */
export function ignoredError(operation: 'create' | 'delete'): Error {
  return new Error(
    `SQLite ignored the ${operation}, by RAISE(IGNORE) in a trigger or ON CONFLICT IGNORE of a constraint. To refuse a ${operation}, use RAISE(ABORT, 'the reason') or ON CONFLICT ABORT`,
  )
}
