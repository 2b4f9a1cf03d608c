// A server of a million plants, for the test that watches its memory from outside.
import { serve } from '../../../adapters/node.ts'
import { answerParent } from '../../shared/answer-parent.ts'
import { longList, plants } from '../../shared/plants.ts'

const server = serve(plants({}, longList(1_000_000)), { port: 0 })
answerParent({
  url: async () => (await server).url,
  peak: () => process.resourceUsage().maxRSS * 1024,
})
