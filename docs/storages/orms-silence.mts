export const limitSilence = ({ stream }: any) =>
  stream.setTimeout(20_000, () => stream.destroy(new Error('MySQL did not respond in time')))

// Drizzle, Kysely and TypeORM: pool.on('connection', limitSilence). TypeORM has made a connection before that: end it
// with pool.getConnection((_, connection) => connection.destroy())
export const knexOptions = {
  pool: {
    afterCreate(connection: any, done: (error: null, connection: object) => void) {
      limitSilence(connection)
      done(null, connection)
    },
  },
}
export const sequelizeOptions = { hooks: { afterConnect: limitSilence } }
