import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { validator } from 'hono/validator'
import type { MapStorage } from '../map-storage.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'
import { serveFetch } from './serve-fetch.ts'
import { ListQuery, NewPlant, PlantPath, queryFailure } from './zod-schemas.ts'

/** Hono on Node and Bun, with its bearer and body limit middleware, and zod in its validator. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = new Hono<{ Variables: { owner: string } }>()

  app.use(async (c, next) => {
    c.header('x-content-type-options', contract.EVERY_REPLY['x-content-type-options'])
    c.header('cache-control', contract.EVERY_REPLY['cache-control'])
    await next()
  })
  app.use(
    bearerAuth<{ Variables: { owner: string } }>({
      realm: 'plants',
      verifyToken(token, c) {
        const caller = contract.verify(token)
        if (caller) c.set('owner', caller.owner)
        return caller !== null
      },
      noAuthenticationHeader: { message: contract.errorBody('missing_token') },
      invalidToken: { message: contract.errorBody('invalid_token') },
    }),
  )

  app.onError((error, c) => {
    if (error instanceof contract.Failure) {
      return c.json(contract.errorBody(error.errorName), contract.statusOf(error.errorName) as 400)
    }
    if (!(error instanceof HTTPException)) return c.json(contract.errorBody('internal'), 500)
    // Hono's guide: getResponse knows nothing of the headers that the context has.
    if (error.res) return c.newResponse(error.res.body, error.res)
    return c.json(contract.errorBody('malformed_json'), 400)
  })

  app.get(
    '/plants',
    validator('query', (value) => {
      const query = ListQuery.safeParse(value)
      if (!query.success) throw new contract.Failure(queryFailure(query.error))
      return query.data
    }),
    (c) => {
      const { limit, cursor: after } = c.req.valid('query')
      const { page, link } = contract.toPage(
        storage.list(c.var.owner, { after, limit: limit + 1 }),
        limit,
      )
      if (link) c.header('link', link)
      return c.json(page.map(contract.toPlant))
    },
  )

  app.post(
    '/plants',
    bodyLimit({
      maxSize: contract.MAX_BODY_BYTES,
      onError: (c) => c.json(contract.errorBody('body_too_large'), 413),
    }),
    validator('json', (value, c) => {
      // Without a JSON content type, Hono's validator is given {}.
      if (!c.req.header('content-type')?.startsWith('application/json')) {
        throw new contract.Failure('unsupported_media_type')
      }
      const plant = NewPlant.safeParse(value)
      if (!plant.success) throw new contract.Failure('invalid_plant')
      return plant.data
    }),
    (c) => {
      const { id, name, tag } = c.req.valid('json')
      if (!storage.create(c.var.owner, { id: BigInt(id), name, tag })) {
        throw new contract.Failure('duplicate_id')
      }
      return c.json({ name, tag })
    },
  )

  app.delete(
    '/plants/:id',
    validator('param', (value) => {
      const path = PlantPath.safeParse(value)
      if (!path.success) throw new contract.Failure('invalid_id')
      return path.data
    }),
    (c) => {
      if (!storage.delete(c.var.owner, c.req.valid('param').id)) {
        throw new contract.Failure('plant_not_found')
      }
      return c.body(null, 204)
    },
  )

  return serveFetch(app.fetch)
}

/** The plant store in Hono. */
export async function mount(storage: MapStorage): Promise<number> {
  const store = await createStore(storage)
  const app = new Hono()
  app.all('/*', (c) => store.fetch(c.req.raw))
  return serveFetch(app.fetch)
}
