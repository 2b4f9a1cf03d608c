import { StorageUnavailableError } from '../../errors.ts'
import { type Failures, sendWithRetries } from '../shared/retries.ts'

// https://mariadb.com/docs/server/reference/error-codes,
// https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
const DUPLICATE = 1062
const PACKET_TOO_LARGE = 1153
// Lock wait timeout, deadlock, a record has changed (innodb_snapshot_isolation), rollback by group replication:
// rolled back. Or the statement has to be prepared again, and has not run.
const ROLLED_BACK = new Set([1205, 1213, 1020, 3101, 1615])
const UNAVAILABLE = new Set([
  ...ROLLED_BACK,
  // Too many connections: of the server, of the host's errors, of the user, threads, prepared statements.
  ...[1040, 1129, 1130, 1135, 1203, 1226, 1461, 1637],
  // A password that is being rotated, an account that is locked, or a database that is being restored: refused before
  // anything ran.
  ...[1044, 1045, 1049, 1698, 1820, 1862, 3118, 4151],
  // Read-only: a replica, a transaction, a table, InnoDB.
  ...[1290, 1836, 1792, 1036, 1874],
  // Disk full and other errors of the file system; memory; an error during COMMIT.
  ...[3, 20, 1021, 1026, 1030, 1114, 1037, 1038, 1041, 1206, 1180],
  // A statement was killed or took too long; a connection was killed or idle for too long.
  ...[1317, 1969, 3024, 1927, 3169, 4031],
  // The server shuts down, is offline, or its node of a Galera cluster is not ready.
  ...[1053, 3032, 3168, 1047],
  // ProxySQL reaches no server (https://proxysql.com/documentation/error-codes).
  ...[9001, 9002, 9004],
  // The pool of mariadb has no free connection.
  45028,
])
// Connection exceptions, which both drivers report with the SQLSTATE of their own errors too.
const CONNECTION_STATE = /^08/
// Codes of Node (ECONNRESET, EAI_AGAIN; ERR_… and ER_… are others), of mysql2 and of Bun's client.
const NETWORK =
  /^(?:E(?!RR?_)[A-Z]|PROTOCOL_(?:CONNECTION_LOST|SEQUENCE_TIMEOUT)|ERR_MYSQL_(?:CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT))/
const BROKEN =
  /^(?:ECONNRESET|EPIPE|PROTOCOL_CONNECTION_LOST|ERR_MYSQL_CONNECTION_CLOSED|ER_(?:SOCKET_UNEXPECTED_CLOSE|CONNECTION_KILLED|CLIENT_INTERACTION_TIMEOUT))$/
// mysql2 gives no code to the errors of a full queue or a lost connection. "Pool is closed" must not match: it
// is a programming error.
const CONNECTION_LOST = /\bconnections?\b|\btime-?out\b|timed out|Queue limit/i

/** Whether a unique key has refused a row, be it the primary key or another of the app. */
export function isDuplicate(error: any): boolean {
  return error?.errno === DUPLICATE
}

/** Whether that key is known, and isn't a primary key. */
export function isOtherKey({ key }: Error & { key?: string }): boolean {
  return key !== undefined && !key.endsWith('PRIMARY')
}

/** Sends a statement, and sends it again where that is right. */
export function withMysqlRetries<T>(send: () => Promise<T>, isRead = false): Promise<T> {
  return sendWithRetries(mysqlFailures, send, isRead)
}

const mysqlFailures: Failures = {
  isRolledBack: (error) => ROLLED_BACK.has(driverErrorOf(error)?.errno),
  isBroken: (error) => BROKEN.test(driverErrorOf(error)?.code),
  toStorageError: fromMysqlError,
}

/** Returns the driver's error, which Sequelize keeps in its own. */
function driverErrorOf(error: any): any {
  return error?.original ?? error
}

function fromMysqlError(thrown: unknown): unknown {
  const error = driverErrorOf(thrown)
  // Before the others, since its SQLSTATE is that of a lost connection.
  if (error?.errno === PACKET_TOO_LARGE) {
    return new Error(
      `MySQL says: ${error.message}. Raise the server's max_allowed_packet above the size of a plant.`,
      { cause: error },
    )
  }
  if (isDuplicate(error)) {
    // The server's message has the values of the row, which are the owner's. In most languages it ends with the name
    // of the key, and in MySQL 8 with its table's before it. mariadb adds the statement to `message`.
    const key = /'([^']+)'$/.exec(error.sqlMessage ?? error.message)?.[1]
    const { code, errno } = error
    const message = `The unique key ${key ?? 'of the app'} refused this`
    return Object.assign(new Error(message), { code, errno, key })
  }
  if (isMysqlUnavailable(error)) {
    const message = error.message || 'MySQL did not respond'
    return new StorageUnavailableError(message, { cause: error })
  }
  return error
}

/** The server's errors have a positive number. Others come from the driver, or are programming errors. */
function isMysqlUnavailable(error: any): boolean {
  if (CONNECTION_STATE.test(error?.sqlState)) return true
  if (error?.errno > 0) return UNAVAILABLE.has(error.errno)
  if (error?.name === 'TypeError') return false
  if (error?.code) return NETWORK.test(error.code)
  // An app that destroys a silent socket gives its error no code. Both drivers mark it as the connection's end.
  return error?.fatal === true || CONNECTION_LOST.test(error?.message)
}
