import { fromNodeHandler, H3 } from 'h3'
import { toNodeHandler } from '../../../adapters/node.ts'
import { store } from './store.ts'

export const app = new H3()
const plants = toNodeHandler(store)
app.all(
  '/api/**',
  fromNodeHandler((request, response, _next) => plants(request, response)),
)
