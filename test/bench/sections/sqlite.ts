import { join } from 'node:path'
import { bareSqlite } from '../bare-storages.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import { dataDirectory } from '../data-directory.ts'
import { type Row, ratioRow, type Section, takeTurns, timeOf } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { plant } from '../plants.ts'
import { node } from '../servers.ts'

const AT_ONCE = 64
const GROUPS = 20

/** As many creates as the disk allows: where a commit takes 10 ms, even the fewest take minutes. */
function worksFor(commitMs: number) {
  const times = Math.max(1, Math.min(6, 2 / commitMs))
  return [
    { ...LIST, name: 'list 10, 1 client', connections: 1, count: 500 },
    { ...CREATE, name: 'create, 1 client', connections: 1, count: Math.round(50 * times) },
    { ...LIST, name: 'list 10, 64 clients', connections: 64, count: 1_000 },
    { ...CREATE, name: 'create, 64 clients', connections: 64, count: Math.round(320 * times) },
  ]
}

/** Durable creates (`synchronous=FULL`), by the storage alone and over HTTP. */
export const sqlite: Section = {
  name: 'sqlite',
  about: 'durable SQLite: creates, 64 at once, and over HTTP against a server written by hand',
  async run(log) {
    const measureGroups = await groupCommits(await dataDirectory())
    const directory = await dataDirectory()
    const fileOf = (storage: string) => (generation: number) =>
      `${storage}:${join(directory, `${storage}-${generation}.db`)}`
    const works = worksFor(await msOfCommit(await dataDirectory()))
    const kind = { works, measures: { throughput: {} }, generations: 2, rounds: 10 }
    const own = node('plant-store', 'plant-store', fileOf('sqlite'))
    const others = [
      node('a commit a create', 'floor', fileOf('bare-sqlite')),
      node('group commit', 'floor', fileOf('grouped-sqlite')),
    ]
    const served = await duel(kind, ['on durable SQLite', own, ...others], log)
    return [await measureGroups(), ...served.map(withTarget)]
  },
}

/** Sets the target of a create beside a server that commits in groups too. */
function withTarget(row: Row): Row {
  const isCreate = row.work.startsWith('create') && row.unit === '× group commit'
  return isCreate ? { ...row, atLeast: 0.85 } : row
}

async function msOfCommit(directory: string): Promise<number> {
  const bare = bareSqlite(join(directory, 'commit.db'))
  const ms = await timeOf(() => {
    for (let id = 1; id <= AT_ONCE; id++) bare.create('writer', plant(id))
  })
  bare.close()
  return ms / AT_ONCE
}

/** Opens the storages now, and measures them when they have been open for a while, as in a running server. */
async function groupCommits(directory: string): Promise<() => Promise<Row>> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const storage = sqliteStorage(join(directory, 'plants.db'), { synchronous: 'FULL' })
  const bare = bareSqlite(join(directory, 'bare.db'))
  let id = 0
  async function createTogether(): Promise<void> {
    const batch = Array.from({ length: AT_ONCE }, () => storage.create('writer', plant(++id)))
    if ((await Promise.all(batch)).includes(false)) throw new Error('A create was refused')
  }
  /** Creates per second, of so many batches. */
  const rateOf = (batches: number, createBatch: () => unknown) => async () => {
    const ms = await timeOf(async () => {
      for (let i = 0; i < batches; i++) await createBatch()
    })
    return (batches * AT_ONCE * 1000) / ms
  }
  return async () => {
    const rates = await takeTurns(
      { warmUp: 1, rounds: 15 },
      {
        together: rateOf(GROUPS, createTogether),
        oneByOne: rateOf(1, () => {
          for (let i = 0; i < AT_ONCE; i++) bare.create('writer', plant(++id))
        }),
      },
    )
    await storage.close()
    bare.close()
    const work = 'durable SQLite creates, 64 at once'
    const row = { work, subject: 'plant-store', unit: '× one commit a create', atLeast: 30 }
    return ratioRow(row, rates.together, rates.oneByOne, 'creates/s')
  }
}
