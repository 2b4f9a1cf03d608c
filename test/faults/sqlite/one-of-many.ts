// One of several processes that do the same to the same files at the same moment: node one-of-many.ts FILE FILES IDS
// Prints that it is ready, waits until the time that it reads from standard input, opens new files one after the other,
// and creates plants in each, two at once. Prints the file and the id of each create that returned true.
import { text } from 'node:stream/consumers'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const [file, files, ids] = process.argv.slice(2)
console.log('ready')
const moment = Number(await text(process.stdin))
// Busy waiting, so that all processes begin at once.
while (Date.now() < moment);

for (let index = 0; index < Number(files); index++) {
  const storage = sqliteStorage(`${file}-${index}`)
  async function create(id: number): Promise<void> {
    const isCreated = await storage.create('alice', { id: BigInt(id), name: `${process.pid}` })
    if (isCreated) console.log(`${index} ${id}`)
  }
  for (let id = 0; id < Number(ids); id += 2) await Promise.all([create(id), create(id + 1)])
  await storage.close()
}
