import { onlyRow, type TextRow, toRows } from './results.ts'
import { type MysqlTableName, quoteMysqlTable } from './statements.ts'

/** Executes a prepared statement. Resolves to its rows, as arrays or objects, or to what it has changed. */
export type Execute = (sql: string, values: unknown[]) => Promise<any>

/** The server's description of the table and the connection. */
export interface FoundMysqlTable {
  /** With the database of the option, or of the connection. */
  readonly table: MysqlTableName
  /** The text of a probe, as it came. */
  readonly probe: string | null | undefined
  readonly autocommit: boolean
  /** The isolation level of transactions, such as REPEATABLE-READ. */
  readonly isolation: string
  readonly maxPacket: number
  /** The columns, the key and the engine; undefined if the table is missing. */
  readonly definition: string | undefined
}

const NO_TABLE = 1146
/** Text that comes as it is, unless character_set_results is one that the driver reads as another. */
const PROBE = '(9)'
// A plant of 1 MiB and its owner fit, for an app that raises maxBodyBytes.
const MIN_PACKET = 2 * 1024 * 1024
const DEFINITION =
  'id bigint NOT NULL, name longtext utf8mb4 NOT NULL, owner varbinary(1404) NOT NULL, tag longtext utf8mb4, ' +
  'PRIMARY KEY (owner, id), ENGINE InnoDB'

/** Looks at the table, and at the settings of the server that plants depend on. */
export async function findMysqlTable(
  execute: Execute,
  { name, database }: MysqlTableName,
): Promise<FoundMysqlTable> {
  const sql = `SELECT DATABASE(), @@autocommit, @@max_allowed_packet, '${PROBE}'`
  const [current, autocommit, maxPacket, probe] = onlyRow(await execute(sql, []), 4)
  const table = { name, database: database ?? current ?? undefined }
  // MariaDB called it tx_isolation before 11.1, and MySQL no longer does.
  const levels = await queryRows(
    execute,
    "SHOW VARIABLES WHERE Variable_name RLIKE '^(tx|transaction)_isolation$'",
  )
  return {
    table,
    probe,
    autocommit: autocommit === '1',
    isolation: String(levels[0]?.[1]),
    maxPacket: Number(maxPacket),
    definition: await describeTable(execute, table),
  }
}

/** Throws unless the table exists and keeps plants exactly, and the server keeps them at all. */
export function assertMysqlTable({ table, ...found }: FoundMysqlTable): void {
  if (found.probe !== PROBE) {
    throw new Error(
      `The connection changes text: '${PROBE}' came as '${found.probe}'. Set its character_set_results to utf8mb4, as SET NAMES utf8mb4 does.`,
    )
  }
  if (!found.autocommit) {
    throw new Error(
      'autocommit is off, so nothing would be committed. Set it on for the connections of this pool.',
    )
  }
  if (found.isolation === 'READ-UNCOMMITTED') {
    throw new Error(
      'The isolation level is READ UNCOMMITTED, so a list would show plants whose create may still fail. Set it to READ COMMITTED or higher for the connections of this pool.',
    )
  }
  if (found.maxPacket < MIN_PACKET) {
    throw new Error(
      `max_allowed_packet must be at least ${MIN_PACKET} bytes for a plant of 1 MiB; got ${found.maxPacket}. ` +
        'Raise it in the configuration of the server.',
    )
  }
  if (found.definition === undefined) {
    throw new Error(
      `The table ${quoteMysqlTable(table)} does not exist. Call storage.migrate() once, or run the SQL that ` +
        'mysqlMigration() returns for this table.',
    )
  }
  if (found.definition !== DEFINITION) {
    throw new Error(
      `The table ${quoteMysqlTable(table)} is not a plant store's table. It has (${found.definition}), but must have ` +
        `(${DEFINITION}). Choose another table with the option { table }.`,
    )
  }
}

async function describeTable(execute: Execute, table: MysqlTableName): Promise<string | undefined> {
  const quoted = quoteMysqlTable(table)
  let columns: TextRow[]
  try {
    columns = await queryRows(execute, `SHOW FULL COLUMNS FROM ${quoted}`)
  } catch (error: any) {
    if (error?.errno === NO_TABLE) return undefined
    throw error
  }
  const described = columns.map(([name, type, collation, isNull, , , extra]) =>
    // MariaDB says bigint(20), and MySQL 8 says bigint. Of a collation, the character set counts.
    [
      name,
      type!.replace(/^bigint\(\d+\)/, 'bigint'),
      collation?.replace(/_.*/, ''),
      isNull === 'NO' && 'NOT NULL',
      // The server stores another value than it was sent: the next number in place of 0, or what it computes.
      /auto_increment|(?:VIRTUAL|STORED) GENERATED/i.exec(extra!)?.[0].toUpperCase(),
    ]
      .filter(Boolean)
      .join(' '),
  )
  const key = (await queryRows(execute, `SHOW INDEX FROM ${quoted}`))
    .filter(([, , index]) => index === 'PRIMARY')
    .map(([, , , , column, , , part]) => (part === null ? column : `${column}(${part})`))
  return [
    ...described.sort(),
    key.length > 0 && `PRIMARY KEY (${key.join(', ')})`,
    `ENGINE ${(await engineOf(execute, table)) ?? 'none: a view or a temporary table'}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The engine, or null for a view. Whether names differ by case depends on the server, so the exact one comes first. */
async function engineOf(execute: Execute, { name, database }: MysqlTableName): Promise<TextRow[0]> {
  const sql = `SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
    ORDER BY CAST(TABLE_NAME AS BINARY) = ? DESC`
  return (await queryRows(execute, sql, [database, name, name]))[0]?.[0] ?? null
}

async function queryRows(
  execute: Execute,
  sql: string,
  values: unknown[] = [],
): Promise<TextRow[]> {
  return toRows(await execute(sql, values))
}
