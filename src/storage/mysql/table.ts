import { mysqlStatements, quoteTable } from './statements.ts'

/** Executes a prepared statement. Resolves to its rows, as arrays or objects, or to what it has changed. */
export type Execute = (sql: string, values: unknown[]) => Promise<any>

type Show = (sql: string) => Promise<any[][]>

const NO_TABLE = 1146
// A body of 1 MiB, the largest by default, and its owner fit.
const MIN_PACKET = 2 * 1024 * 1024
const EXPECTED =
  'id bigint NOT NULL, name longtext utf8mb4 NOT NULL, owner varbinary(1404) NOT NULL, tag longtext utf8mb4, ' +
  'PRIMARY KEY (owner, id), ENGINE InnoDB'

/**
 * Creates the table if it does not exist, and checks it. If it exists, no right to create tables is needed.
 *
 * @throws Error if a setting of the server would lose plants, or if the table is another application's
 */
export async function migrateTable(execute: Execute, table: string): Promise<void> {
  await checkSettings(execute)
  const found =
    (await describeTable(execute, table)) ??
    (await execute(mysqlStatements(table).migrate, []).then(() => describeTable(execute, table)))
  if (found === EXPECTED) return
  throw new Error(
    `The table ${table} is not a plant store's table. It has (${found}), but must have (${EXPECTED}). ` +
      'Choose another table with the option { table }.',
  )
}

async function checkSettings(execute: Execute): Promise<void> {
  const rows = await execute('SELECT @@autocommit, @@max_allowed_packet', [])
  const [autocommit, maxPacket] = Object.values(rows[0]).map(Number) as [number, number]
  if (autocommit === 0) {
    throw new Error(
      'autocommit is off, so nothing would be committed. Set it on for the connections of this pool.',
    )
  }
  if (maxPacket < MIN_PACKET) {
    throw new Error(
      `max_allowed_packet must be at least ${MIN_PACKET} bytes for a plant of 1 MiB; got ${maxPacket}. ` +
        'Raise it in the configuration of the server.',
    )
  }
}

/** Describes columns, key and engine, or returns undefined if there is no such table. SHOW finds it as statements do. */
async function describeTable(execute: Execute, table: string): Promise<string | undefined> {
  const quoted = quoteTable(table)
  const show: Show = async (sql) => {
    const rows: object[] = await execute(sql, [])
    return rows.map((row) =>
      Object.values(row).map((value) => (value === null ? value : `${value}`)),
    )
  }
  let columns: any[][]
  try {
    columns = await show(`SHOW FULL COLUMNS FROM ${quoted}`)
  } catch (error: any) {
    if (error?.errno === NO_TABLE) return undefined
    throw error
  }
  const described = columns.map(([name, type, collation, isNull]) =>
    [
      name,
      // MariaDB says bigint(20), and MySQL 8 says bigint.
      type.replace(/^bigint\(\d+\)/, 'bigint'),
      collation?.replace(/_.*/, ''),
      isNull === 'NO' && 'NOT NULL',
    ]
      .filter(Boolean)
      .join(' '),
  )
  const key = (await show(`SHOW INDEX FROM ${quoted}`))
    .filter(([, , index]) => index === 'PRIMARY')
    .map(([, , , , column, , , part]) => (part === null ? column : `${column}(${part})`))
  const engine = await engineOf(show, table)
  return [
    ...described.sort(),
    key.length > 0 && `PRIMARY KEY (${key.join(', ')})`,
    `ENGINE ${engine}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The engine, or null for a view. Whether names differ by case depends on the server, so the exact one comes first. */
async function engineOf(show: Show, table: string): Promise<string | null> {
  const [name, database] = table.split('.').reverse() as [string, string?]
  const place = database === undefined ? 'DATABASE()' : `'${database}'`
  const [first] = await show(`SELECT ENGINE FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = ${place} AND TABLE_NAME = '${name}' ORDER BY BINARY TABLE_NAME = '${name}' DESC`)
  return first?.[0]
}
