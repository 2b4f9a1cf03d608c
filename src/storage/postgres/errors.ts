import { StorageUnavailableError } from '../../errors.ts'
import { createRetries } from '../shared/retries.ts'

const anyOf = (...patterns: RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'i')

/**
 * The errors of PostgreSQL, by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html, and those of
 * drivers, which have other codes or none.
 */
const ERRORS = {
  // serialization_failure, deadlock_detected, Prisma's name for both: rolled back. An idle backend was ended, a prepared
  // statement is missing, is taken or must be prepared again: it has not run.
  withoutEffect: /^(?:40001|40P01|P2034|57P05|26000|42P05)$/,
  unprepared: /^(?:26000|42P05)$/,
  // Connection exceptions (PgBouncer reports 08P01, RDS Proxy 08000), transaction rollback, insufficient resources, operator
  // intervention (a shutdown, a cancelled statement), system errors (58000 of Hyperdrive and PgCat, 58C00 of
  // CockroachDB); a read-only standby, an idle or a long transaction that was ended, a lock that was not available; a
  // password or role that is being replaced, a database that is being restored; a range of CockroachDB that is out of reach.
  unavailable: /^(?:08|40|53|57|58)...$|^(?:25006|25P0[34]|55P03|28000|28P01|3D000|XXUUU)$/,
  // Integrity constraint violations, and what a trigger raises.
  refused: /^(?:23|P0)/,
  // Errors without an SQLSTATE: Node's (ECONNRESET, EAI_AGAIN; ERR_… are programming errors), those of postgres.js and
  // of Bun's client, and Prisma's: https://www.prisma.io/docs/orm/reference/error-reference, and the kinds of its driver adapters.
  network:
    /^(?:E(?!RR_)[A-Z]|CONNECT(?!ION_ENDED)|(?:IDLE|LIFETIME)_TIMEOUT|P(?:100[01238]|101[017]|20(?:24|28|34|37)|50(?:0[689]|1[01])|600[348])$|DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)/,
  // A connection that was in use or in the pool has ended: another may work at once.
  broken: /^(?:08...|57P0[12]|ECONNRESET|EPIPE|CONNECTION_CLOSED|ConnectionClosed|P1017)$/,
}

/** The messages of errors that have no code, or internal_error (XX000), under which poolers and extensions report others. */
const MESSAGES = {
  unavailable: anyOf(
    // pg, Neon's driver, and libpq in Citus and foreign-data wrappers. "Cannot use a pool after calling end" must not match: it
    // is a programming error.
    /\b(?:connect(?:ion|ing)?|terminated|time-?out|timed[ -]out|SSL SYSCALL)\b|establish|HTTP status (?:5|429)/,
    // Supavisor: https://github.com/supabase/supavisor/tree/main/lib/supavisor/errors. Messages begin with (ECODE)
    // since version 2: https://supabase.com/docs/guides/database/supavisor
    /^\(E[A-Z]+\)|max ?client|DbHandler|tenant|subscribe error|circuit breaker|pooler error|query_wait/,
    // Neon: https://neon.com/docs/connect/connection-errors,
    // https://github.com/neondatabase/neon/blob/main/proxy/src/control_plane/errors.rs
    /control plane|compute node|endpoint|quota|exceeded the|rate limit|too many (?:connection|database|request)|acquire permit|page ?server|suspended|paused/,
    // Pgpool-II (https://www.pgpool.net/docs/latest/en/html/), YugabyteDB, CockroachDB
    /backend nodes|network error|unavailable|shutting down|try again|\bleader\b|deadline|lost quorum/,
  ),
  broken:
    /connection terminated|terminated unexpectedly|is not queryable|DbHandler exited|connection to database closed/i,
}
const INTERNAL = 'XX000'
// The routine that refuses a connection to a database that accepts none, that the role may no longer use, or that
// has too many. Its code 55000 has other meanings too.
const NO_CONNECTIONS = 'CheckMyDatabase'
// feature_not_supported: a table has changed since the statement was prepared.
const CHANGED_PLAN = /^cached plan must not change result type/

/** Whether a statement failed before it ran, because of the name it was prepared under. */
export function isUnprepared(error: unknown): boolean {
  const source = sourceOf(error)
  return ERRORS.unprepared.test(sqlState(source)) || isPlanChanged(source)
}

function isPlanChanged(error: any): boolean {
  const { code, routine, message } = error ?? {}
  return code === '0A000' && (routine === 'RevalidateCachedQuery' || CHANGED_PLAN.test(message))
}

/** Sends a statement, and sends it again where that is right. */
export const withPostgresRetries = createRetries({
  isWithoutEffect(error) {
    const source = sourceOf(error)
    return ERRORS.withoutEffect.test(source?.code) || isPlanChanged(source)
  },
  isBroken(error) {
    const { code, message } = sourceOf(error) ?? {}
    if ((code ?? INTERNAL) === INTERNAL) return MESSAGES.broken.test(message)
    return ERRORS.broken.test(code)
  },
  toStorageError: fromPostgresError,
})

function fromPostgresError(error: any): unknown {
  const source = sourceOf(error)
  if (isPostgresUnavailable(source)) {
    const message = source.message || 'PostgreSQL did not respond'
    // Neon's driver keeps the error of fetch, which may be the reason of an abort.
    return new StorageUnavailableError(message, { cause: error?.sourceError ?? error })
  }
  // postgres.js calls it constraint_name. Prisma's is an object, but its message has PostgreSQL's.
  const constraint = source?.constraint ?? source?.constraint_name
  if (typeof constraint === 'string' && ERRORS.refused.test(sqlState(source))) {
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
  // A pooler ends the connection, but PostgreSQL's own internal error is one of the statement.
  if (state === INTERNAL) {
    return error.severity === 'FATAL' || MESSAGES.unavailable.test(error.message)
  }
  if (state !== '') return ERRORS.unavailable.test(state) || error.routine === NO_CONNECTIONS
  if (error?.name === 'TypeError') return false
  // Neon's driver rejects with the error event of its WebSocket.
  return (
    error?.type === 'error' ||
    ERRORS.network.test(error?.code) ||
    MESSAGES.unavailable.test(error?.message)
  )
}

/** Returns the SQLSTATE of an error, or the empty string. The codes of Prisma look the same: P1001. */
function sqlState(error: any): string {
  return /^(?=.*\d)(?!P[1-9])[\dA-Z]{5}$|^XXUUU$/.test(error?.code) ? error.code : ''
}

/** Returns the driver's error, which Sequelize and Prisma keep in their own. */
function sourceOf(error: any): any {
  // Bun's client has the SQLSTATE in `errno`, and codes like ERR_POSTGRES_CONNECTION_CLOSED for connections.
  const [, bunCode] = /^ERR_POSTGRES_(\w+)/.exec(error?.code) ?? []
  if (bunCode) {
    const { message, constraint, table, routine, severity, errno = bunCode } = error
    return { message, constraint, table, routine, severity, code: errno }
  }
  const { kind, originalCode, originalMessage, severity } =
    error?.meta?.driverAdapterError?.cause ?? {}
  if (kind) {
    return { code: originalCode ?? kind, message: originalMessage ?? error.message, severity }
  }
  return error?.original ?? error
}
