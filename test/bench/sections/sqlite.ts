import { bareSqlite } from '../bare-storages.ts'
import { CREATE, duel } from '../compare.ts'
import { newFile } from '../data-directory.ts'
import { type Row, ratioRow, takeTurns, timeOf } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { plant } from '../plants.ts'
import { node } from '../servers.ts'

const AT_ONCE = 64
const GROUPS = 20

const KIND = {
  works: [
    { ...CREATE, name: 'create, 1 client', connections: 1, count: 100 },
    { ...CREATE, name: 'create, 64 clients', connections: 64, count: 640 },
  ],
  measures: { throughput: { atLeast: 0.9 } },
  generations: 2,
  rounds: 10,
}

/** Durable creates (`synchronous=FULL`): by the storage alone, and over HTTP against a server written by hand. */
export async function run(): Promise<Row[]> {
  const own = node('plant-store', 'plant-store', `sqlite:${newFile()}`)
  const other = node('group commit', 'floor', `grouped-sqlite:${newFile()}`)
  const overHttp = await duel({ ...KIND, where: 'on durable SQLite', own, other })
  return [await groupCommitRow(), ...overHttp]
}

async function groupCommitRow(): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  await using storage = sqliteStorage(newFile(), { synchronous: 'FULL' })
  const bare = bareSqlite(newFile())
  let id = 0
  async function createTogether(): Promise<void> {
    const batch = Array.from({ length: AT_ONCE }, () => storage.create('writer', plant(++id)))
    if ((await Promise.all(batch)).includes(false)) throw new Error('A create was refused')
  }
  function createOneByOne(): void {
    for (let i = 0; i < AT_ONCE; i++) bare.create('writer', plant(++id))
  }
  /** Creates per second, of so many batches. */
  const rateOf = (batches: number, createBatch: () => unknown) => async () => {
    const ms = await timeOf(async () => {
      for (let i = 0; i < batches; i++) await createBatch()
    })
    return (batches * AT_ONCE * 1000) / ms
  }
  const { together, oneByOne } = await takeTurns(
    { warmUp: 3, rounds: 15 },
    { together: rateOf(GROUPS, createTogether), oneByOne: rateOf(1, createOneByOne) },
  )
  bare.close()
  const work = 'durable SQLite creates, 64 at once'
  const row = { work, subject: 'plant-store', unit: '× one commit a create', atLeast: 30 }
  return ratioRow(row, [together, oneByOne], 'creates/s')
}
