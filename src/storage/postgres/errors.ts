import { StorageUnavailableError } from '../../errors.ts'
import { type Failures, sendWithRetries } from '../shared/retries.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// The codes of Prisma, such as P1001 and P2010, look the same. PostgreSQL's own begin with P0.
const SQLSTATE = /^(?=.*\d)(?!P[1-9])[\dA-Z]{5}$/
// serialization_failure, deadlock_detected; Prisma's name for both.
const ROLLED_BACK = /^(?:40001|40P01|P2034)$/
// Connection exceptions, transaction rollback, insufficient resources, operator intervention (such as a
// shutdown or a cancelled statement), system errors; a read-only standby, an idle or a long transaction
// that was ended, a lock that was not available; a password or role that is being replaced, a database
// that is being restored.
const UNAVAILABLE = /^(?:08|40|53|57|58)...$|^(?:25006|25P0[34]|55P03|28000|28P01|3D000)$/
// The routine that refuses a connection to a database that accepts none, that the role may no longer use, or that
// has too many. Its code 55000 has other meanings too.
const NO_CONNECTIONS = 'CheckMyDatabase'
// internal_error. Citus and foreign-data wrappers report a lost connection to another server with it.
const INTERNAL = 'XX000'
// invalid_sql_statement_name, duplicate_prepared_statement.
const UNPREPARED = /^(?:26000|42P05)$/
// Integrity constraint violations, and what a trigger raises.
const REFUSED = /^(?:23|P0)/
// Errors without an SQLSTATE: Node's (ECONNRESET, EAI_AGAIN; ERR_… are programming errors), those of postgres.js and
// of Bun's client, and Prisma's: https://www.prisma.io/docs/orm/reference/error-reference, and the kinds of its driver adapters.
const NETWORK =
  /^(?:E(?!RR_)[A-Z]|CONNECT(?!ION_ENDED)|(?:IDLE|LIFETIME)_TIMEOUT|P(?:100[01238]|1010|1017|2024|2028|2034|2037)$|DatabaseNotReachable|ConnectionClosed|SocketTimeout)/
// Most connection errors of pg and Neon's driver have no code, such as a status of Neon's proxy. "Cannot use a pool
// after calling end" must not match: it is a programming error.
const CONNECTION_LOST =
  /\b(?:connect(?:ion|ing)?|terminated|time-?out|timed out|SSL SYSCALL)\b|establish|HTTP status (?:5|429)/i
// A connection that was in use or in the pool has ended: another may work at once.
const BROKEN_CODE = /^(?:08...|57P0[12]|ECONNRESET|EPIPE|CONNECTION_CLOSED|ConnectionClosed|P1017)$/
const BROKEN_MESSAGE = /connection terminated|terminated unexpectedly|is not queryable/i

/** Whether a statement failed before it ran, because of the name it was prepared under. */
export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.test(sqlState(sourceOf(error)))
}

/** Sends a statement, and sends it again where that is right. */
export function withPostgresRetries<T>(send: () => Promise<T>, isRead = false): Promise<T> {
  return sendWithRetries(postgresFailures, send, isRead)
}

const postgresFailures: Failures = {
  isRolledBack: (error) => ROLLED_BACK.test(sourceOf(error)?.code),
  isBroken(error) {
    const { code, message } = sourceOf(error) ?? {}
    return BROKEN_CODE.test(code) || (code === undefined && BROKEN_MESSAGE.test(message))
  },
  toStorageError: fromPostgresError,
}

function fromPostgresError(error: any): unknown {
  const source = sourceOf(error)
  if (isPostgresUnavailable(source)) {
    const message = source.message || 'PostgreSQL did not respond'
    // Neon's driver keeps the error of fetch, which may be the reason of an abort.
    return new StorageUnavailableError(message, { cause: error?.sourceError ?? error })
  }
  // postgres.js calls it constraint_name. Prisma's is an object, but its message has PostgreSQL's.
  const constraint = source?.constraint ?? source?.constraint_name
  if (typeof constraint === 'string' && REFUSED.test(sqlState(source))) {
    // The messages of Sequelize and of triggers may lack the name. `detail` has the owner and the plant, so it
    // stays in the cause, of which the default log prints the stack only.
    const table = source.table ?? source.table_name
    const place = table ? ` of the table ${table}` : ''
    const text = `The constraint ${constraint}${place} refused this: ${source.message}`
    return new Error(text, { cause: error })
  }
  return error
}

/** PostgreSQL's own errors have an SQLSTATE. Others come from the driver, or are programming errors. */
function isPostgresUnavailable(error: any): boolean {
  const state = sqlState(error)
  if (state === INTERNAL) return CONNECTION_LOST.test(error.message)
  if (state !== '' && error.routine === NO_CONNECTIONS) return true
  if (state !== '') return UNAVAILABLE.test(state)
  if (error?.name === 'TypeError') return false
  // Neon's driver rejects with the error event of its WebSocket.
  return (
    error?.type === 'error' || NETWORK.test(error?.code) || CONNECTION_LOST.test(error?.message)
  )
}

/** Returns the SQLSTATE of an error, or the empty string. */
function sqlState(error: any): string {
  return SQLSTATE.test(error?.code) ? error.code : ''
}

/** Returns the driver's error, which Sequelize and Prisma keep in their own. */
function sourceOf(error: any): any {
  // Bun's client has the SQLSTATE in `errno`, and codes such as ERR_POSTGRES_CONNECTION_CLOSED for connections.
  const [, bunCode] = /^ERR_POSTGRES_(\w+)/.exec(error?.code) ?? []
  if (bunCode) {
    const { message, constraint, table, routine, errno = bunCode } = error
    return { message, constraint, table, routine, code: errno }
  }
  const { kind, originalCode, originalMessage } = error?.meta?.driverAdapterError?.cause ?? {}
  if (kind) return { code: originalCode ?? kind, message: originalMessage ?? error.message }
  return error?.original ?? error
}
