// One of several processes that write to one file: node writer.ts FILE COUNT
// Creates the ids from 0 to COUNT - 1, and prints those whose create returned true.
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { startTogether } from './start-together.ts'

const [file = '', count] = process.argv.slice(2)
await startTogether()
const storage = sqliteStorage(file)
const won: string[] = []
for (let first = 0; first < Number(count); first += 8) {
  const group = Array.from({ length: 8 }, async (_, index) => {
    const id = BigInt(first + index)
    if (await storage.create('alice', { id, name: `${process.pid}` })) won.push(`${id}`)
  })
  await Promise.all(group)
}
await storage.close()
console.log(won.join(' '))
