// Loads a storage while I/O fails: node io-errors-workload.ts FILE SWITCH
// The file SWITCH turns the faults of io-errors.c on while it exists. Prints what the load has found, as JSON.
import { rmSync, writeFileSync } from 'node:fs'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { startLoad } from '../load.ts'
import { openWithConnection } from './connection.ts'

const [file = '', faults = ''] = process.argv.slice(2)
const { storage, connection } = openWithConnection(file, { synchronous: 'NORMAL' })
// Else SQLite would keep most pages in memory, and read none.
connection.exec('PRAGMA cache_size = 1')
let current: PlantStorage = storage
const load = startLoad({
  create: (owner, plant) => current.create(owner, plant),
  list: (owner, query) => current.list(owner, query),
  delete: (owner, id) => current.delete(owner, id),
})
await load.answered(500)
writeFileSync(faults, '')
await load.answered(3000)
rmSync(faults)
// Another connection, which reads all from the file.
current = sqliteStorage(file)
console.log(JSON.stringify(await load.finish()))
await Promise.all([storage.close(), current.close?.()])
