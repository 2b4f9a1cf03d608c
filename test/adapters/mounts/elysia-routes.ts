import { Elysia } from 'elysia'
import { toBunHandler } from '../../../adapters/bun.ts'
import { store } from './store.ts'

const plants = toBunHandler(store)
const respond = ({ request }: { request: Request }) => plants(request)
export const app = new Elysia()
app.all('/api/*', respond, { parse: 'none' })
for (const method of ['GET', 'HEAD', 'POST']) {
  app.route(method, '/api/plants', respond, { parse: 'none' })
}
