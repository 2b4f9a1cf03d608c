// A server to be killed: node server.ts FILE. Each token opens the plants of the owner it names.
import { flushCompileCache } from 'node:module'
import { serve } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { openWithConnection } from './connection.ts'

const [file = ''] = process.argv.slice(2)
const { storage, connection } = openWithConnection(file, { synchronous: 'NORMAL' })
// Else SQLite would keep most pages in memory, and read none.
connection.exec('PRAGMA cache_size = 1')
// The test causes the errors, and checks the responses.
const store = createPlantStore(storage, (token) => ({ owner: token }), { onError: () => {} })
const { url } = await serve(store, { port: 0 })
console.log(url)
// It never exits by itself, which is when Node would write the cache.
flushCompileCache()
