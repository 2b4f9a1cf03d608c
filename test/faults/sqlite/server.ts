// A server to be killed: node server.ts FILE LOCK_TIMEOUT_MS
import { serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'

const [file = '', lockTimeoutMs] = process.argv.slice(2)
const storage = sqliteStorage(file, { lockTimeoutMs: Number(lockTimeoutMs) })
// The test causes the errors, and checks the responses.
const store = createPlantStore(storage, staticTokens({ token: 'alice' }), { onError: () => {} })
const { url } = await serve(store, { port: 0 })
console.log(url)
