// One of several processes that create the same files: node opener.ts FILE COUNT
// Opens the new files FILE-0 to FILE-(COUNT - 1), one after the other, and creates a plant in each.
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { startTogether } from './start-together.ts'

const [file = '', count] = process.argv.slice(2)
await startTogether()
for (let index = 0; index < Number(count); index++) {
  const storage = sqliteStorage(`${file}-${index}`)
  await storage.create('alice', { id: BigInt(process.pid), name: '' })
  await storage.close()
}
