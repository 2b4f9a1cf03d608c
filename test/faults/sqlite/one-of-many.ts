// One of several processes that do the same to one file at the same moment: node one-of-many.ts TASK FILE
// Prints that it is ready, waits until the time that it reads from standard input, and prints what it alone has done.
import { text } from 'node:stream/consumers'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const tasks: Record<string, (file: string) => Promise<void>> = {
  /** Opens new files, one after the other, and creates a plant in each. */
  async open(file) {
    for (let index = 0; index < 25; index++) {
      const storage = sqliteStorage(`${file}-${index}`)
      await storage.create('alice', { id: BigInt(process.pid), name: '' })
      await storage.close()
    }
  },

  /** Creates plants, some at once. Prints the ids whose create returned true. */
  async create(file) {
    const storage = sqliteStorage(file)
    async function create(id: number): Promise<void> {
      if (await storage.create('alice', { id: BigInt(id), name: `${process.pid}` })) console.log(id)
    }
    for (let id = 0; id < 400; id += 2) await Promise.all([create(id), create(id + 1)])
    await storage.close()
  },
}

const [task = '', file = ''] = process.argv.slice(2)
console.log('ready')
const moment = Number(await text(process.stdin))
// Busy waiting, so that all processes begin at once.
while (Date.now() < moment);
await tasks[task]!(file)
