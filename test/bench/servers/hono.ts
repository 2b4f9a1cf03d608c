import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { validator } from 'hono/validator'
import type { MapStorage } from '../map-storage.ts'
import {
  ContractError,
  EVERY_REPLY,
  errorBody,
  MAX_BODY_BYTES,
  nextLink,
  owners,
  statusOf,
} from './contract.ts'
import { ListQuery, NewPlant, queryFailure } from './zod-schemas.ts'

/** Hono on its Node server, with its bearer and body limit middleware, and zod in its validator. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = new Hono<{ Variables: { owner: string } }>()

  app.use(async (c, next) => {
    c.header('x-content-type-options', EVERY_REPLY['x-content-type-options'])
    c.header('cache-control', EVERY_REPLY['cache-control'])
    await next()
  })
  app.use(
    bearerAuth<{ Variables: { owner: string } }>({
      realm: 'plants',
      verifyToken(token, c) {
        const owner = owners.get(token)
        if (owner === undefined) return false
        c.set('owner', owner)
        return true
      },
      noAuthenticationHeader: { message: errorBody('missing_token') },
      invalidToken: { message: errorBody('invalid_token') },
    }),
  )

  app.onError((error, c) => {
    if (error instanceof ContractError) {
      return c.json(errorBody(error.errorName), statusOf(error.errorName) as 400)
    }
    if (!(error instanceof HTTPException)) return c.json(errorBody('internal'), 500)
    // Hono's guide: getResponse knows nothing of the headers that the context has.
    if (error.res) return c.newResponse(error.res.body, error.res)
    return c.json(errorBody('malformed_json'), 400)
  })

  app.get(
    '/plants',
    validator('query', (value) => {
      const query = ListQuery.safeParse(value)
      if (!query.success) throw new ContractError(queryFailure(query.error))
      return query.data
    }),
    (c) => {
      const { limit, cursor: after } = c.req.valid('query')
      const found = storage.list(c.var.owner, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      if (found.length > limit && limit > 0) c.header('link', nextLink(limit, page))
      return c.json(page.map(({ name, tag }) => ({ name, tag })))
    },
  )

  app.post(
    '/plants',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => c.json(errorBody('body_too_large'), 413),
    }),
    validator('json', (value, c) => {
      // Without a JSON content type, Hono's validator is given {}.
      if (!c.req.header('content-type')?.startsWith('application/json')) {
        throw new ContractError('unsupported_media_type')
      }
      const plant = NewPlant.safeParse(value)
      if (!plant.success) throw new ContractError('invalid_plant')
      return plant.data
    }),
    (c) => {
      const { id, name, tag } = c.req.valid('json')
      if (!storage.create(c.var.owner, { id: BigInt(id), name, tag })) {
        throw new ContractError('duplicate_id')
      }
      return c.json({ name, tag })
    },
  )

  return new Promise((resolve) => {
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: AddressInfo) =>
      resolve(info.port),
    )
  })
}
