// server/routes/api/[...path].ts
import { fromNodeMiddleware } from 'h3'
import { toNodeHandler } from 'plant-store/node'
import { store } from '../../../lib/plants.ts'

// h3 waits for the response, because the handler has a third parameter. Without it, h3 answers 204.
export default fromNodeMiddleware((request, response, _next) => {
  toNodeHandler(store())(request, response)
})
