import {
  fromNodeHandler,
  getValidatedQuery,
  getValidatedRouterParams,
  H3,
  HTTPError,
  noContent,
  readValidatedBody,
  serve,
} from 'h3'
import { toNodeHandler } from '../../../adapters/node.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'
import * as contract from './contract.ts'

/** h3 v2 on its own server, with zod in its validating readers. */
export async function listen(storage: MemoryStorage): Promise<number> {
  const app = new H3({ silent: true })

  app.use((event) => {
    event.context.owner = contract.ownerOf(event.req.headers.get('authorization'))
    if (!event.context.owner) throw new HTTPError({ status: 401, headers: contract.CHALLENGE })
    event.res.headers.set('x-content-type-options', contract.EVERY_REPLY['x-content-type-options'])
    event.res.headers.set('cache-control', contract.EVERY_REPLY['cache-control'])
  })

  app.get('/plants', async (event) => {
    const { limit } = await getValidatedQuery(event, contract.ListQuery)
    const { page, link } = contract.readPage(storage, event.context.owner as string, limit)
    if (link) event.res.headers.set('link', link)
    return page.map(contract.toPlant)
  })

  app.post('/plants', async (event) => {
    if (!event.req.headers.get('content-type')?.startsWith('application/json')) {
      throw HTTPError.status(415)
    }
    const { id, name, tag } = await readValidatedBody(event, contract.NewPlant)
    const owner = event.context.owner as string
    const isCreated = storage.create(owner, { id: BigInt(id), name, tag })
    if (!isCreated) throw HTTPError.status(400)
    return { name, tag }
  })

  app.delete('/plants/:id', async (event) => {
    const { id } = await getValidatedRouterParams(event, contract.PlantPath)
    if (!storage.delete(event.context.owner as string, id)) throw HTTPError.status(404)
    return noContent()
  })

  return start(app, { maxRequestBodySize: contract.MAX_BODY_BYTES })
}

/** The plant store in h3, as docs/hosts/h3.md mounts it on Node. */
export async function mount(store: PlantStore): Promise<number> {
  const plants = toNodeHandler(store)
  const app = new H3()
  app.all(
    '/**',
    fromNodeHandler((request, response, _next) => plants(request, response)),
  )
  return start(app)
}

async function start(app: H3, options: { maxRequestBodySize?: number } = {}): Promise<number> {
  const server = serve(app, { hostname: '127.0.0.1', port: 0, silent: true, ...options })
  await server.ready()
  return Number(new URL(server.url!).port)
}
