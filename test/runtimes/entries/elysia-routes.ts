import { Elysia } from 'elysia'
import { toBunHandler } from '../../../adapters/bun.ts'
import { createAdapterTestStore } from '../../../src/testing.ts'

const plants = toBunHandler(createAdapterTestStore({ basePath: '/api' }))
const respond = ({ request }: { request: Request }) => plants(request)
const app = new Elysia()
app.all('/api/*', respond, { parse: 'none' })
for (const method of ['GET', 'HEAD', 'POST']) {
  app.route(method, '/api/plants', respond, { parse: 'none' })
}
app.listen({ port: 0, hostname: '127.0.0.1' }, ({ url }) => console.log(url.href))
