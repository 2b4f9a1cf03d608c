// A server of a million plants, for the test that watches its memory from outside.
import { serve } from '../../../adapters/node.ts'
import { longList } from './long-list.ts'
import { plants } from './plants.ts'

const { port } = await serve(plants({}, longList(1_000_000)), { port: 0 })
process.on('message', () => process.send!({ peak: process.resourceUsage().maxRSS * 1024 }))
process.on('disconnect', () => process.exit())
process.send!({ port })
