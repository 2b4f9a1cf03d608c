// Runs the contract of a storage on a pool of pg or mysql2, in Bun or Deno, with DATABASE_URL.
import { after, describe, it } from 'node:test'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'

const url = process.env.DATABASE_URL!
const pool = url.startsWith('mysql:') ? createPool(url) : new pg.Pool({ connectionString: url })
const storage = 'execute' in pool ? mysqlStorage(pool) : postgresStorage(pool)
after(() => pool.end())

testPlantStorage({ describe, it }, async () => {
  await storage.migrate()
  return storage
})
