// A server to be restarted: node server.ts PORT FILE. Each token opens the plants of the owner it names.
import { createPlantStore } from '../../../src/index.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const { serve } = await import(
  `../../../adapters/${'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'}.ts`
)
const [port, file = ''] = process.argv.slice(2)
const store = createPlantStore(sqliteStorage(file), (token) => ({ owner: token }))
console.log((await serve(store, { port: Number(port) })).url)
