import { join } from 'node:path'
import { bareSqlite } from '../bare-storages.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import { dataDirectory } from '../data-directory.ts'
import { median, type Row, ratio, type Section } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { plant } from '../plants.ts'
import { node } from '../servers.ts'

const ROUNDS = 15
const AT_ONCE = 64
const GROUPS = 20

// Few creates: where a commit takes 10 ms, even these take minutes.
const WORKS = [
  { ...LIST, name: 'list 10, 1 client', connections: 1, count: 1_000 },
  { ...CREATE, name: 'create, 1 client', connections: 1, count: 100 },
  { ...LIST, name: 'list 10, 64 clients', connections: 64, count: 2_000 },
  { ...CREATE, name: 'create, 64 clients', connections: 64, count: 640 },
]

/** Durable creates (`synchronous=FULL`), by the storage alone and over HTTP. */
export const sqlite: Section = {
  name: 'sqlite',
  about: 'durable SQLite: creates, 64 at once, and over HTTP against a server written by hand',
  async run(log) {
    const directory = await dataDirectory()
    const fileOf = (storage: string) => (generation: number) =>
      `${storage}:${join(directory, `${storage}-${generation}.db`)}`
    return [
      await groupCommits(directory),
      ...(await duel(
        {
          where: 'on durable SQLite',
          own: node('plant-store', 'plant-store', fileOf('sqlite')),
          to: [
            node('a commit a create', 'floor', fileOf('bare-sqlite')),
            node('group commit', 'floor', fileOf('grouped-sqlite')),
          ],
          works: WORKS,
          measures: ['throughput'],
          generations: 2,
          rounds: 6,
        },
        log,
      )),
    ]
  },
}

async function groupCommits(directory: string): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const storage = sqliteStorage(join(directory, 'plants.db'), { synchronous: 'FULL' })
  const bare = bareSqlite(join(directory, 'bare.db'))
  let id = 0
  const rates = { together: [] as number[], oneByOne: [] as number[] }
  // The first round compiles the code.
  for (let round = -1; round < ROUNDS; round++) {
    const together = await rateOf(AT_ONCE * GROUPS, async () => {
      for (let group = 0; group < GROUPS; group++) {
        const batch = Array.from({ length: AT_ONCE }, () => storage.create('writer', plant(++id)))
        if ((await Promise.all(batch)).includes(false)) throw new Error('A create was refused')
      }
    })
    const oneByOne = await rateOf(AT_ONCE, () => {
      for (let i = 0; i < AT_ONCE; i++) bare.create('writer', plant(++id))
    })
    if (round < 0) continue
    rates.together.push(together)
    rates.oneByOne.push(oneByOne)
  }
  await storage.close()
  bare.close()
  return {
    work: 'durable SQLite creates, 64 at once',
    subject: 'plant-store',
    ...ratio(rates.together, rates.oneByOne),
    unit: '× one commit a create',
    atLeast: 30,
    note: `${Math.round(median(rates.together))} and ${Math.round(median(rates.oneByOne))} creates/s`,
  }
}

/** Calls per second. */
async function rateOf(count: number, work: () => void | Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return (count / (performance.now() - begin)) * 1000
}
