// A server to be restarted: node server.ts PORT STORAGE, where STORAGE is a file or the connection of PostgreSQL in JSON.
// Each token opens the plants of the owner it names.
import { createPlantStore } from '../../../src/index.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'

const { serve } = await import(
  `../../../adapters/${'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'}.ts`
)
const [port, place = ''] = process.argv.slice(2)
const store = createPlantStore(await open(), (token) => ({ owner: token }))
console.log((await serve(store, { port: Number(port) })).url)

async function open(): Promise<PlantStorage> {
  if (!place.startsWith('{')) {
    const { sqliteStorage } = await import('../../../src/storage/sqlite.ts')
    return sqliteStorage(place)
  }
  const { default: pg } = await import('pg')
  const { postgresStorage } = await import('../../../src/storage/postgres.ts')
  const pool = new pg.Pool(JSON.parse(place))
  return { ...postgresStorage(pool), close: () => pool.end() }
}
