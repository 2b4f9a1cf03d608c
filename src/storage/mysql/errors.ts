import { StorageUnavailableError } from '../../errors.ts'
import { createRetries } from '../shared/retries.ts'

/**
 * The errors of a server or a proxy, by number. MySQL: https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html,
 * MariaDB: https://mariadb.com/docs/server/reference/error-codes, ProxySQL: https://proxysql.com/documentation/error-codes,
 * TiDB: https://docs.pingcap.com/tidb/stable/error-codes.
 */
const ERRORS = {
  duplicate: 1062,
  packetTooLarge: 1153,
  withoutEffect: new Set([
    // Lock wait timeout, deadlock, a record has changed (innodb_snapshot_isolation), rollback by group replication.
    ...[1205, 1213, 1020, 3100, 3101],
    // The statement has to be prepared again, the table has changed, an idle connection was ended: it has not run.
    ...[1615, 1412, 4031],
    // TiDB: write conflicts, a commit that has failed, a schema that has changed.
    ...[8002, 8005, 8022, 8028, 8113, 9007],
  ]),
  /** The connection has ended. The numbers of a client, which ProxySQL passes on. */
  broken: new Set([2006, 2013, 2055]),
  unavailable: new Set([
    // Too many connections: of the server, of the host's errors, of the user, threads, prepared statements. The server
    // can't resolve the client's host.
    ...[1040, 1042, 1129, 1130, 1135, 1203, 1226, 1461, 1637],
    // A password that is being rotated, an account that is locked, or a database that is being restored: refused before
    // anything ran.
    ...[1044, 1045, 1049, 1698, 1820, 1862, 3118, 3955, 4151],
    // Read-only: a replica, a transaction, a table, InnoDB, a schema.
    ...[1290, 1836, 1792, 1036, 1874, 3989],
    // Disk full, too many open files and other errors of the file system; memory; an error during COMMIT.
    ...[3, 20, 23, 1016, 1021, 1026, 1030, 1114, 5, 1037, 1038, 1041, 1206, 1180],
    // A statement was killed or took too long; a connection was killed, or its network failed.
    ...[1317, 1969, 3024, 1927, 3169, 1152, 1158, 1159, 1160, 1161, 1184],
    // The server shuts down, is offline, or its node of a Galera or a replication group is not ready.
    ...[1053, 3032, 3168, 1047, 3796, 3797, 3798],
    // A remote server of Spider; NDB's temporary errors.
    ...[1429, 12701, 1297],
    // A client's numbers for a server that can't be reached or is gone, from ProxySQL, MaxScale and MySQL Router.
    ...[2002, 2003, 2005, 2006, 2012, 2013, 2055],
    // ProxySQL reaches no server; RDS Proxy has no connection (https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-proxy.troubleshooting.html).
    ...[9001, 9002, 9004, 9501],
    // Aurora's internal error.
    1815,
    // TiDB: placement driver, storage and regions that are late, busy or gone; memory, quotas, an outdated schema.
    ...[8001, 8027, 8120, 8175, 8229, 8252, 8253, 8254, 9003, 9005, 9006, 9008, 9010, 9012, 9013],
    // The pool of mariadb has no free connection.
    45028,
  ]),
  unknown: 1105,
}
/**
 * The messages of errors whose number is that of an unknown error: the gRPC codes and states of Vitess and PlanetScale
 * (https://github.com/vitessio/vitess/blob/main/go/vt/vterrors/code.go), Aurora, TiDB.
 */
const UNAVAILABLE =
  /unavailable|exhausted|deadline|abort|cancell?ed|VT14\d|cluster_event|not[_ ]serving|no healthy|reparent|primary (?:is|tablet|buffer)|demot|throttl|sleeping|terminated|time-?out|timed out|connect|too many|busy|shut(?:ting)?[ _]?down|read[- ]only|\bEOF\b|retry|try again/i
// Connection exceptions, which both drivers report as the SQLSTATE of their errors too.
const CONNECTION_STATE = /^08/
// Codes of Node (ECONNRESET, EAI_AGAIN; ERR_… and ER_… are others), of mysql2 and of Bun's client.
const NETWORK =
  /^(?:E(?!RR?_)[A-Z]|PROTOCOL_(?:CONNECTION_LOST|SEQUENCE_TIMEOUT)|ERR_MYSQL_(?:CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT))/
const BROKEN =
  /^(?:ECONNRESET|EPIPE|PROTOCOL_CONNECTION_LOST|ERR_MYSQL_CONNECTION_CLOSED|ER_(?:SOCKET_UNEXPECTED_CLOSE|CONNECTION_KILLED))$/
// mysql2 gives no code to the errors of a full queue or a lost connection. "Pool is closed" must not match: it
// is a programming error.
const CONNECTION_LOST = /\bconnections?\b|\btime-?out\b|timed out|Queue limit/i

/** Whether a unique key has refused a row, be it the primary key or another of the app. */
export function isDuplicate(error: any): boolean {
  return error?.errno === ERRORS.duplicate
}

/** Whether that key is known, and isn't a primary key. */
export function isOtherKey({ key }: Error & { key?: string }): boolean {
  return key !== undefined && !key.endsWith('PRIMARY')
}

/** Sends a statement, and sends it again where that is right. */
export const withMysqlRetries = createRetries({
  isWithoutEffect: (error) => ERRORS.withoutEffect.has(driverErrorOf(error)?.errno),
  isBroken(error) {
    const { code, errno } = driverErrorOf(error) ?? {}
    return BROKEN.test(code) || ERRORS.broken.has(errno)
  },
  toStorageError: fromMysqlError,
})

/** Returns the driver's error, which Sequelize keeps in its own. */
function driverErrorOf(error: any): any {
  return error?.original ?? error
}

function fromMysqlError(thrown: unknown): unknown {
  const error = driverErrorOf(thrown)
  // Before the others, since its SQLSTATE is that of a lost connection.
  if (error?.errno === ERRORS.packetTooLarge) {
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
  const { errno, code, message } = error ?? {}
  if (CONNECTION_STATE.test(error?.sqlState)) return true
  if (errno === ERRORS.unknown) return UNAVAILABLE.test(message)
  if (errno > 0) return ERRORS.unavailable.has(errno) || ERRORS.withoutEffect.has(errno)
  if (error?.name === 'TypeError') return false
  if (code) return NETWORK.test(code)
  // An app that destroys a silent socket gives its error no code. Both drivers mark it as the connection's end.
  return error?.fatal === true || CONNECTION_LOST.test(message)
}
