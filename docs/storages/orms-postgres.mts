import { postgresStorage } from 'plant-store/storage/postgres'

export const onDrizzle = postgresStorage(db.$client)
export const onKysely = postgresStorage(pool) // the pool of its PostgresDialect
export const onTypeOrm = postgresStorage(dataSource.driver.master) // its pool, after initialize()
export const onKnex = postgresStorage({
  async query(text, values) {
    const connection = await knex.client.acquireConnection()
    try {
      return await connection.query(text, values)
    } catch (error) {
      // Unless the error is the server's, the connection may be dead. Knex would lend it again.
      if (!(error as { severity?: string }).severity) connection.__knex__disposed = error
      throw error
    } finally {
      await knex.client.releaseConnection(connection)
    }
  },
  maxConcurrentCalls: knex.client.pool.max,
})
export const onSequelize = postgresStorage({
  async query(text, bind) {
    // Not in a transaction that Sequelize.useCLS() finds, not on a replica, and not again by the app's `retry`.
    const options = { bind, type: 'SELECT', transaction: null, useMaster: true, retry: { max: 1 } }
    return { rows: await sequelize.query(text, options) }
  },
  maxConcurrentCalls: sequelize.connectionManager.config.pool.max,
})
export const onPrisma = postgresStorage({
  query: async (text, values = []) => ({ rows: await prisma.$queryRawUnsafe(text, ...values) }),
  maxConcurrentCalls: 10, // the size of the adapter's pool
})
export const onPostgresJs = postgresStorage({
  query: async (text, values) => ({ rows: await sql.unsafe(text, values) }),
  maxConcurrentCalls: sql.options.max,
})
