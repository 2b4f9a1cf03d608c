// A server to be killed: node server.ts FILE. Each token opens the plants of the owner it names.
import { flushCompileCache } from 'node:module'
import { serve } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const [file = ''] = process.argv.slice(2)
const storage = sqliteStorage(file)
// The test causes the errors, and checks the responses.
const store = createPlantStore(storage, (token) => ({ owner: token }), { onError: () => {} })
const { url } = await serve(store, { port: 0 })
console.log(url)
// It never exits by itself, which is when Node would write the cache.
flushCompileCache()
