// A server to be killed or restarted: node server.ts FILE [PORT]. Each token opens the plants of the owner it names.
import module from 'node:module'
import { createPlantStore } from '../../src/index.ts'
import { openWithConnection } from './sqlite/connection.ts'

const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
const { serve } = await import(`../../adapters/${runtime}.ts`)

const [file = '', port = '0'] = process.argv.slice(2)
const { storage, connection } = openWithConnection(file, { synchronous: 'NORMAL' })
// Else SQLite would keep most pages in memory, and read none.
connection.exec('PRAGMA cache_size = 1')
// The test causes the errors, and checks the responses.
const store = createPlantStore(storage, (token) => ({ owner: token }), { onError: () => {} })
const { url } = await serve(store, { port: Number(port) })
console.log(url)
// It never exits by itself, which is when Node would write the cache. Deno has no cache to flush.
module.flushCompileCache?.()
