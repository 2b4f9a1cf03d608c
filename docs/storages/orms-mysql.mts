import { mysqlStorage } from 'plant-store/storage/mysql'

export const onDrizzle = mysqlStorage(db.$client)
export const onKysely = mysqlStorage(pool) // the pool of its MysqlDialect
export const onTypeOrm = mysqlStorage(dataSource.driver.pool) // with mysql2, after initialize().
export const onKnex = mysqlStorage({
  async execute(statement, values) {
    const connection = await knex.client.acquireConnection()
    const result = connection.promise().execute(statement, values)
    return result.finally(() => knex.client.releaseConnection(connection))
  },
  maxConcurrentCalls: knex.client.pool.max,
})
export const onSequelize = mysqlStorage({
  async execute(statement, values) {
    const connection = await sequelize.connectionManager.getConnection({ type: 'write' })
    const result = connection.promise().execute(statement, values)
    return result.finally(() => sequelize.connectionManager.releaseConnection(connection))
  },
  maxConcurrentCalls: sequelize.connectionManager.config.pool.max,
})
export const onPrisma = mysqlStorage({
  // A pool of mariadb, which new PrismaMariaDb(prismaPool) shares
  execute: async (statement, values) => [await prismaPool.execute(statement, values)],
  maxConcurrentCalls: 10, // its connectionLimit
})
