import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStatements } from '../../../src/storage/sqlite/statements.ts'
import { dataDirectory } from '../data-directory.ts'
import type { Section } from '../figures.ts'
import { importSqlite } from '../own.ts'
import { spread } from '../statistics.ts'

const ROUNDS = 15
const AT_ONCE = 64
const GROUPS = 20

/** Durable creates, 64 waiting at once, against one commit a create, both with synchronous=FULL. */
export const sqlite: Section = {
  name: 'sqlite',
  about: 'durable creates on SQLite, 64 at once, against one commit a create',
  async run() {
    const directory = await dataDirectory()
    const { sqliteStorage } = await importSqlite()
    const storage = sqliteStorage(join(directory, 'plants.db'), { synchronous: 'FULL' })
    const bare = openBare(join(directory, 'bare.db'))
    let id = 0n

    const together = async () => {
      for (let group = 0; group < GROUPS; group++) {
        const created = await Promise.all(
          Array.from({ length: AT_ONCE }, () => storage.create('writer', plant(++id))),
        )
        if (created.includes(false)) throw new Error('A create was refused')
      }
      return AT_ONCE * GROUPS
    }
    const oneByOne = () => {
      for (let i = 0; i < AT_ONCE; i++) {
        const { name, tag } = plant(++id)
        bare.run('writer', id, name, tag)
      }
      return AT_ONCE
    }

    await together()
    oneByOne()
    const rates = { together: [] as number[], oneByOne: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      rates.together.push(await rate(together))
      rates.oneByOne.push(await rate(oneByOne))
    }
    await storage.close()
    const {
      median: value,
      low,
      high,
    } = spread(rates.together.map((together, round) => together / rates.oneByOne[round]!))
    return [
      {
        section: 'sqlite',
        work: 'durable SQLite creates, 64 at once',
        subject: 'plant-store',
        value,
        low,
        high,
        unit: '× one commit a create',
        atLeast: 30,
        note: `${Math.round(spread(rates.together).median)} and ${Math.round(spread(rates.oneByOne).median)} creates/s`,
      },
    ]
  },
}

function plant(id: bigint) {
  return { id, name: `Monstera ${id}`, tag: 'indoor' }
}

/** The same table and statement, in the same mode, and each insert a transaction of its own. */
function openBare(path: string) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
  const statements = sqliteStatements('plants')
  database.exec(statements.createTable)
  return database.prepare(statements.insert)
}

async function rate(work: () => number | Promise<number>): Promise<number> {
  const begin = performance.now()
  const count = await work()
  return (count / (performance.now() - begin)) * 1000
}
