// One of several processes that back up one file: node backer.ts FILE BACKUP COUNT
// Backs up to BACKUP-0, then to BACKUP-1 and so on, and prints the numbers of the backups that succeeded.
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { startTogether } from './start-together.ts'

const [file = '', backup, count] = process.argv.slice(2)
const storage = sqliteStorage(file)
await startTogether()
for (let index = 0; index < Number(count); index++) {
  const path = `${backup}-${index}`
  try {
    await storage.backup(path)
    console.log(index)
  } catch (error) {
    const { message } = error as Error
    if (message !== `Cannot back up to ${path}: the file exists. Name a new file`) throw error
  }
}
await storage.close()
