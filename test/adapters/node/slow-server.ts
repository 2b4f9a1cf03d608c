// A server whose creates wait for a message from the parent process, for the tests that send real signals.
import { serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

const storage = memoryStorage()
const { promise: released, resolve: release } = Promise.withResolvers<unknown>()
// A listener that stays keeps the process alive, as those of node:cluster and PM2 do.
process.on('message', release)

const store = createPlantStore(
  {
    ...storage,
    async create(owner, plant) {
      process.send!('creating')
      await released
      return storage.create(owner, plant)
    },
    close: () => void process.send!('closed'),
  },
  staticTokens({ t: 'alice' }),
)
const { port } = await serve(store, { port: 0 })
process.send!({ port })
