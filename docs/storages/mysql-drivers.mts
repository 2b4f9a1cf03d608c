import { createPool } from 'mariadb'
import { mysqlStorage } from 'plant-store/storage/mysql'

const pool = createPool({
  host: 'localhost',
  user: 'app',
  database: 'app',
  connectionLimit: 10,
  socketTimeout: 20_000,
  logParam: false, // otherwise the message of an error has the owner and the plant
})
export const onMariaDb = mysqlStorage({
  execute: async (statement, values) => [await pool.execute(statement, values)],
  maxConcurrentCalls: 10,
})

// new SQL(url, { max: 10, idleTimeout: 30, connectionTimeout: 5 }) of Bun
export const onBun = mysqlStorage({
  execute: async ({ sql: text }, values) => [await sql.unsafe(text, values)],
  maxConcurrentCalls: sql.options.max,
})
