// A server of a million plants, for the test that watches its memory from outside.
import { serve } from '../../../adapters/node.ts'
import { longList, observedStore } from './long-list.ts'

const { port } = await serve(observedStore(longList(1_000_000)).store, { port: 0 })
process.on('message', () => process.send!({ peak: process.resourceUsage().maxRSS * 1024 }))
process.on('disconnect', () => process.exit())
process.send!({ port })
