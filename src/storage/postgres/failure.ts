import { StorageUnavailableError } from '../../plant-storage.ts'

const MAX_TRIES = 5
const MAX_PAUSE_MS = 20

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const SQLSTATE = /^(?=.*\d)[\dA-Z]{5}$/
// serialization_failure, deadlock_detected: rolled back, so they are retried.
const ROLLED_BACK = /^(?:40001|40P01)$/
// Connection exceptions, transaction rollback, insufficient resources, operator intervention (such as a
// shutdown or a cancelled statement), system errors; a read-only standby, an idle or a long transaction
// that was ended, a lock that was not available.
const UNAVAILABLE = /^(?:08|40|53|57|58)...$|^(?:25006|25P0[34]|55P03)$/
// internal_error. Citus and foreign-data wrappers report a lost connection to another server with it.
const INTERNAL = 'XX000'
// invalid_sql_statement_name, duplicate_prepared_statement.
const UNPREPARED = /^(?:26000|42P05)$/
const NO_TABLE = '42P01'
// undefined_column, invalid_column_reference (no unique key), undefined_function (of a type), type mismatch.
const OTHER_COLUMNS = /^42(?:703|P10|883|804)$/
// Errors without an SQLSTATE: Node's (ECONNRESET, EAI_AGAIN; ERR_… are programming errors) and postgres.js's.
const NETWORK = /^(?:E(?!RR_)[A-Z]|CONNECT(?!ION_ENDED))/
// Most connection errors of pg and Neon's driver have no code. "Cannot use a pool after calling end" must
// not match: it is a programming error.
const CONNECTION_LOST =
  /\b(?:connect(?:ion|ing)?|terminated|time-?out|timed out|SSL SYSCALL)\b|establish/i

/** Whether a statement failed before it ran, because of the name it was prepared under. */
export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.test(sqlState(error))
}

/**
 * Runs a statement, and runs it again if PostgreSQL has rolled it back because of concurrent ones.
 *
 * Other failures are not retried. When a connection breaks, a create or delete may have been committed
 * although the reply was lost. A second try would then report a duplicate or a missing plant, which is
 * wrong. The outcome of such a call is unknown, and `StorageUnavailableError` says no more than that.
 *
 * @param run sends the statement, and calls `fail`, as the second argument of then(), with its error. A catch() would
 *   take one more promise, about 0.3 µs of a list (perf record, by symbol)
 */
export function withRetries<T>(
  run: (fail: (error: unknown) => Promise<T>) => Promise<T>,
  tries = MAX_TRIES,
): Promise<T> {
  return run(async (error) => {
    if (!ROLLED_BACK.test(sqlState(error)) || tries === 1) throw toStorageError(error)
    await pause()
    return withRetries(run, tries - 1)
  })
}

/** Random, so that the transactions that collided don't collide again. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS))
}

function toStorageError(error: any): unknown {
  const state = sqlState(error)
  if (isUnavailable(error, state)) {
    const message = error.message || 'PostgreSQL did not respond'
    return new StorageUnavailableError(message, { cause: error })
  }
  if (state === NO_TABLE) {
    return new Error(
      `PostgreSQL says: ${error.message}. Call storage.migrate() once, or run the SQL that ` +
        'postgresMigration() returns for this table.',
      { cause: error },
    )
  }
  if (OTHER_COLUMNS.test(state)) {
    return new Error(
      `PostgreSQL says: ${error.message}. The table is not a plant store's table. Choose another with ` +
        'the option { table }.',
      { cause: error },
    )
  }
  return error
}

/** PostgreSQL's own errors have an SQLSTATE. Others come from the driver, or are programming errors. */
function isUnavailable(error: any, state: string): boolean {
  if (state === INTERNAL) return CONNECTION_LOST.test(error.message)
  if (state !== '') return UNAVAILABLE.test(state)
  if (error instanceof TypeError) return false
  // Neon's driver rejects with the error event of its WebSocket.
  return (
    error?.type === 'error' || NETWORK.test(error?.code) || CONNECTION_LOST.test(error?.message)
  )
}

/** Returns the SQLSTATE of an error, or the empty string. */
function sqlState(error: any): string {
  return SQLSTATE.test(error?.code) ? error.code : ''
}
