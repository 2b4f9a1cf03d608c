import { foreignTableError, missingTableError, type TableName } from '../shared/table.ts'
import { onlyRow, quoteMysqlTable, type TextRow, toRows } from './statements.ts'

/** Executes a prepared statement. Resolves to its rows, as arrays or objects, or to what it has changed. */
export type Execute = (sql: string, values: unknown[]) => Promise<any>

/** The server's description of the table and the connection. */
export type FoundMysqlTable = Awaited<ReturnType<typeof findMysqlTable>>

const DEFINITION =
  'id bigint NOT NULL, name longtext utf8mb4 NOT NULL, owner varbinary(1404) NOT NULL, tag longtext utf8mb4, ' +
  'PRIMARY KEY (owner, id), ENGINE InnoDB'

/** Looks at the table, and at the settings of the connection that plants depend on. */
export async function findMysqlTable(execute: Execute, { name, schema }: TableName) {
  // Each has a LIMIT, since sql_select_limit applies to a SELECT without one.
  const settings = await execute('SELECT DATABASE(), @@autocommit LIMIT 1', [])
  const [current, autocommit] = onlyRow(settings, 2)
  const table: TableName = { name, schema: schema ?? current ?? undefined }
  // MariaDB called it tx_isolation before 11.1, and MySQL no longer does.
  const levels = await execute(
    "SHOW VARIABLES WHERE Variable_name RLIKE '^(tx|transaction)_isolation$'",
    [],
  )
  return {
    /** With the database of the option, or of the connection. */
    table,
    autocommit: autocommit === '1',
    /** The isolation level of transactions, for example REPEATABLE-READ. */
    isolation: toRows(levels)[0]?.[1],
    /**
     * What would make a statement wrong: the plant store's columns, the key and the engine. Undefined if the table is
     * missing.
     */
    definition: await describeTable(execute, table),
  }
}

/** Throws unless the table exists and keeps plants exactly, and the server keeps them at all. */
export function assertMysqlTable({ table, ...found }: FoundMysqlTable): void {
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
  const { definition } = found
  if (definition === undefined) throw missingTableError(quoteMysqlTable(table), 'mysqlMigration')
  if (definition === DEFINITION) return
  throw foreignTableError(`The table ${quoteMysqlTable(table)}`, definition, DEFINITION)
}

// Names differ by case here where those of tables do.
const OF_TABLE = 'TABLE_SCHEMA = ? AND TABLE_NAME = ?'
const FIND_ENGINE = `SELECT ENGINE FROM information_schema.TABLES WHERE ${OF_TABLE} LIMIT 1`
const FIND_COLUMNS = `SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, IS_NULLABLE, EXTRA
  FROM information_schema.COLUMNS WHERE ${OF_TABLE} AND COLUMN_NAME IN ('id', 'name', 'owner', 'tag')
  ORDER BY COLUMN_NAME LIMIT 9999`
const FIND_KEY = `SELECT COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS
  WHERE ${OF_TABLE} AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX LIMIT 9999`

async function describeTable(
  execute: Execute,
  { schema, name }: TableName,
): Promise<string | undefined> {
  const [found] = toRows(await execute(FIND_ENGINE, [schema, name]))
  if (!found) return undefined
  const [engine] = found
  const columns = toRows(await execute(FIND_COLUMNS, [schema, name]))
  const key = toRows(await execute(FIND_KEY, [schema, name]))
  return [
    ...columns.map(describeMysqlColumn),
    key.length > 0 &&
      `PRIMARY KEY (${key.map(([column, part]) => (part ? `${column}(${part})` : column)).join(', ')})`,
    `ENGINE ${engine ?? 'none, since it is a view'}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function describeMysqlColumn([name, type, charset, nullable, extra]: TextRow): string {
  // The server stores another value than it was sent: the next number in place of 0, or what it computes.
  const fills = /auto_increment|(?:VIRTUAL|STORED|PERSISTENT) GENERATED/i.exec(extra!)?.[0]
  // MariaDB says bigint(20), and MySQL 8 says bigint. Of a collation, the character set counts.
  const size = type!.replace(/^bigint\(\d+\)/, 'bigint')
  const parts = [name, size, charset, nullable === 'NO' && 'NOT NULL', fills?.toUpperCase()]
  return parts.filter(Boolean).join(' ')
}
