import { join } from 'node:path'
import { bareSqlite } from '../bare-storages.ts'
import { CREATE, duel } from '../compare.ts'
import { dataDirectory } from '../data-directory.ts'
import { type Row, ratioRow, type Section, takeTurns, timeOf } from '../figures.ts'
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
  measures: { throughput: { atLeast: 0.85 } },
  generations: 2,
  rounds: 10,
} as const

/** Durable creates (`synchronous=FULL`), by the storage alone and over HTTP. */
export const sqlite: Section = {
  name: 'sqlite',
  about: 'durable SQLite: creates, 64 at once, and over HTTP against a server written by hand',
  async run(log) {
    const own = node('plant-store', 'plant-store', `sqlite:${await newFile()}`)
    const byHand = node('group commit', 'floor', `grouped-sqlite:${await newFile()}`)
    return [await groupCommitRow(), ...(await duel(KIND, ['on durable SQLite', own, byHand], log))]
  },
}

const newFile = async () => join(await dataDirectory(), 'plants.db')

async function groupCommitRow(): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const storage = sqliteStorage(await newFile(), { synchronous: 'FULL' })
  const bare = bareSqlite(await newFile())
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
  const rates = await takeTurns(
    { warmUp: 3, rounds: 15 },
    { together: rateOf(GROUPS, createTogether), oneByOne: rateOf(1, createOneByOne) },
  )
  await storage.close()
  bare.close()
  const work = 'durable SQLite creates, 64 at once'
  const row = { work, subject: 'plant-store', unit: '× one commit a create', atLeast: 30 }
  return ratioRow(row, rates.together, rates.oneByOne, 'creates/s')
}
