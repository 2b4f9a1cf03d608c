// Opens the file that the first argument names, prints how many plants it has, adds one, and ends without closing.
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

declare const Deno: { args: string[]; exit(): never }

const storage = sqliteStorage(Deno.args[0]!)
const plants = storage.list('alice', { limit: 10 })
console.log(plants.length)
await storage.create('alice', { id: BigInt(plants.length), name: 'Monstera' })
Deno.exit()
