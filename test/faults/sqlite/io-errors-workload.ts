// Creates, deletes and lists while I/O fails: node io-errors-workload.ts FILE SWITCH
// The file SWITCH turns the faults of io-errors.c on while it exists. Prints what it saw, as JSON.
import { rmSync, writeFileSync } from 'node:fs'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const [file = '', faults = ''] = process.argv.slice(2)
const IDS = 6000
const ROUNDS = 1000

/** The known state of each id. A call that failed may have been applied. */
type Knowledge = 'there' | 'gone' | 'unknown'
const known: Knowledge[] = Array.from({ length: IDS }, (_, id) => (id % 2 ? 'there' : 'gone'))
const failures: Record<string, number> = {}
let answered = 0
let wrong = 0

let storage = sqliteStorage(file, { synchronous: 'NORMAL' })
const plantOf = (id: number) => ({ id: BigInt(id), name: 'x'.repeat(800) })
await Promise.all(
  known.map((state, id) => state === 'there' && storage.create('alice', plantOf(id))),
)

writeFileSync(faults, '')
for (let round = 0; round < ROUNDS; round++) {
  // Far apart, and in more pages than SQLite keeps in memory, so that most are read from the file.
  await Promise.all([0, 1, 2, 3].map((index) => change(((round * 4 + index) * 1237) % IDS)))
  if (round % 5 === 0) list((round * 53) % IDS)
}
rmSync(faults)
await storage.close()

storage = sqliteStorage(file)
const plants = storage.list('alice', { limit: IDS })
const there = new Set(plants.map(({ id }) => Number(id)))
known.forEach((state, id) => {
  if (there.has(id) ? state === 'gone' : state === 'there') wrong++
})
await storage.close()
console.log(JSON.stringify({ answered, wrong, failures }))

async function change(id: number): Promise<void> {
  const before = known[id]
  known[id] = 'unknown'
  const create = before === 'gone'
  try {
    const done = await (create
      ? storage.create('alice', plantOf(id))
      : storage.delete('alice', BigInt(id)))
    if (before !== 'unknown' && !done) wrong++
    known[id] = create ? 'there' : 'gone'
    answered++
  } catch (error) {
    count(error)
  }
}

function list(after: number): void {
  try {
    const plants = storage.list('alice', { after: BigInt(after), limit: 50 })
    const listed = new Set(plants.map(({ id }) => Number(id)))
    const end = plants.length < 50 ? IDS : Number(plants.at(-1)!.id) + 1
    for (let id = after + 1; id < end; id++) {
      if (listed.has(id) ? known[id] === 'gone' : known[id] === 'there') wrong++
    }
    answered++
  } catch (error) {
    count(error)
  }
}

function count(error: unknown): void {
  const { code, message } = error as { code?: string; message: string }
  const name = code === 'storage_unavailable' ? code : message
  failures[name] = (failures[name] ?? 0) + 1
}
