import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { validator } from 'hono/validator'
import type { PlantStore } from '../../../src/plant-store.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'
import { serveFetch } from './by-hand.ts'
import * as contract from './contract.ts'

type App = { Variables: { owner: string } }

/** Hono on Node and Bun, with its bearer and body limit middleware, and zod in its validator. */
export async function listen(storage: MemoryStorage): Promise<number> {
  const app = new Hono<App>()

  app.use(async (c, next) => {
    c.header('x-content-type-options', contract.EVERY_REPLY['x-content-type-options'])
    c.header('cache-control', contract.EVERY_REPLY['cache-control'])
    await next()
  })
  app.use(
    bearerAuth<App>({
      realm: 'plants',
      verifyToken(token, c) {
        const caller = contract.verify(token)
        if (caller) c.set('owner', caller.owner)
        return caller !== null
      },
    }),
  )

  app.get(
    '/plants',
    validator('query', (value, c) => {
      const query = contract.ListQuery.safeParse(value)
      return query.success ? query.data : c.body(null, 400)
    }),
    (c) => {
      const { limit } = c.req.valid('query')
      const { page, link } = contract.readPage(storage, c.var.owner, limit)
      if (link) c.header('link', link)
      return c.json(page.map(contract.toPlant))
    },
  )

  app.post(
    '/plants',
    bodyLimit({ maxSize: contract.MAX_BODY_BYTES }),
    validator('json', (value, c) => {
      // Without a JSON content type, Hono's validator is given {}.
      if (!c.req.header('content-type')?.startsWith('application/json')) return c.body(null, 415)
      const plant = contract.NewPlant.safeParse(value)
      return plant.success ? plant.data : c.body(null, 400)
    }),
    (c) => {
      const { id, name, tag } = c.req.valid('json')
      const isCreated = storage.create(c.var.owner, { id: BigInt(id), name, tag })
      return isCreated ? c.json({ name, tag }) : c.body(null, 400)
    },
  )

  app.delete(
    '/plants/:id',
    validator('param', (value, c) => {
      const path = contract.PlantPath.safeParse(value)
      return path.success ? path.data : c.body(null, 400)
    }),
    (c) => c.body(null, storage.delete(c.var.owner, c.req.valid('param').id) ? 204 : 404),
  )

  return serveFetch(app.fetch)
}

/** The plant store in Hono. */
export async function mount(store: PlantStore): Promise<number> {
  const app = new Hono()
  app.all('/*', (c) => store.fetch(c.req.raw))
  return serveFetch(app.fetch)
}
