import { Elysia, t } from 'elysia'
import type { ErrorName } from '../../../src/errors.ts'
import type { MapStorage } from '../map-storage.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'

const text = t.RegExp(new RegExp(contract.STORABLE_TEXT, 'u'))
const plant = t.Object({ name: t.String(), tag: t.Optional(t.String()) })

/** Elysia on Bun, with schemas for what comes in and what goes out, as its guide shows. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = new Elysia({ serve: { maxRequestBodySize: contract.MAX_BODY_BYTES } })
    .headers(contract.EVERY_REPLY)
    .onError(({ error, code, set, status }) => {
      const name = error instanceof contract.Failure ? error.errorName : failureOf(code, error)
      if (contract.statusOf(name) === 401) Object.assign(set.headers, contract.CHALLENGE)
      return status(contract.statusOf(name), contract.errorBody(name))
    })
    .derive(({ headers }) => ({ owner: contract.authenticate(headers.authorization) }))
    .get(
      '/plants',
      ({ owner, query, set }) => {
        const limit = Number(query.limit ?? contract.MAX_LIMIT)
        if (limit > contract.MAX_LIMIT) throw new contract.Failure('invalid_limit')
        const after = contract.idOf(query.cursor)
        const { page, link } = contract.toPage(
          storage.list(owner, { after, limit: limit + 1 }),
          limit,
        )
        if (link) set.headers.link = link
        return page.map(contract.toPlant)
      },
      {
        query: t.Object({
          limit: t.Optional(t.String({ pattern: contract.LIMIT.source })),
          cursor: t.Optional(t.String({ pattern: contract.CURSOR.source })),
        }),
        response: t.Array(plant),
      },
    )
    .post(
      '/plants',
      ({ owner, body: { id, name, tag } }) => {
        if (!storage.create(owner, { id: BigInt(id), name, tag: tag! })) {
          throw new contract.Failure('duplicate_id')
        }
        return { name, tag }
      },
      {
        parse: 'json',
        transform({ headers }) {
          if (!headers['content-type']?.startsWith('application/json')) {
            throw new contract.Failure('unsupported_media_type')
          }
        },
        body: t.Object({ id: t.Integer(), name: text, tag: t.Optional(text) }),
        response: plant,
      },
    )
    .delete(
      '/plants/:id',
      ({ owner, params, status }) => {
        if (!storage.delete(owner, BigInt(params.id))) throw new contract.Failure('plant_not_found')
        return status(204)
      },
      { params: t.Object({ id: t.String({ pattern: contract.ID.source }) }) },
    )
  return start(app)
}

/** The plant store in Elysia. */
export async function mount(storage: MapStorage): Promise<number> {
  const store = await createStore(storage)
  return start(new Elysia().all('/*', ({ request }) => store.fetch(request), { parse: 'none' }))
}

function start(app: { listen(options: object): { server: { port?: number } | null } }): number {
  return app.listen({ hostname: '127.0.0.1', port: 0 }).server!.port!
}

/** The failure that one of Elysia's own errors is. */
function failureOf(code: string | number, error: any): ErrorName {
  if (code === 'PARSE') return 'malformed_json'
  if (code !== 'VALIDATION') return 'internal'
  if (error.type === 'body') return 'invalid_plant'
  if (error.type === 'params') return 'invalid_id'
  return error.valueError?.path === '/cursor' ? 'invalid_cursor' : 'invalid_limit'
}
