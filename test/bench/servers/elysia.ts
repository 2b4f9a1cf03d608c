import { Elysia, status, t } from 'elysia'
import { toBunHandler } from '../../../adapters/bun.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'
import * as contract from './contract.ts'

const text = t.RegExp(new RegExp(contract.STORABLE_TEXT, 'u'))
const Plant = t.Object({ name: t.String(), tag: t.Optional(t.String()) })
const NewPlant = t.Object({ id: t.Integer(), name: text, tag: t.Optional(text) })
const PlantPath = t.Object({ id: t.String({ pattern: contract.ID.source }) })
const ListQuery = t.Object({ limit: t.String({ pattern: contract.LIMIT.source }) })

/** Elysia on Bun, with schemas for what comes in and what goes out, as its guide shows. */
export async function listen(storage: MemoryStorage): Promise<number> {
  const app = new Elysia({ serve: { maxRequestBodySize: contract.MAX_BODY_BYTES } })
    .headers(contract.EVERY_REPLY)
    // Its own status would be 422.
    .onError(({ code }) => (code === 'VALIDATION' ? status(400) : undefined))
    .derive(({ headers, set }) => {
      const owner = contract.ownerOf(headers.authorization)
      if (owner) return { owner }
      Object.assign(set.headers, contract.CHALLENGE)
      return status(401)
    })
    .get(
      '/plants',
      ({ owner, query, set }) => {
        const { page, link } = contract.readPage(storage, owner, Number(query.limit))
        if (link) set.headers.link = link
        return page.map(contract.toPlant)
      },
      { query: ListQuery, response: t.Array(Plant) },
    )
    .post(
      '/plants',
      ({ owner, body: { id, name, tag } }) => {
        if (!storage.create(owner, { id: BigInt(id), name, tag })) throw status(400)
        return { name, tag }
      },
      {
        parse: 'json',
        transform({ headers }) {
          if (!headers['content-type']?.startsWith('application/json')) throw status(415)
        },
        body: NewPlant,
        response: Plant,
      },
    )
    .delete(
      '/plants/:id',
      ({ owner, params }) => status(storage.delete(owner, BigInt(params.id)) ? 204 : 404),
      { params: PlantPath },
    )
  return start(app)
}

/** The plant store in Elysia. */
export async function mount(store: PlantStore): Promise<number> {
  const plants = toBunHandler(store)
  const respond = ({ request }: { request: Request }) => plants(request)
  const app = new Elysia()
  app.all('/*', respond, { parse: 'none' })
  for (const method of ['GET', 'HEAD', 'POST']) {
    app.route(method, '/plants', respond, { parse: 'none' })
  }
  return start(app)
}

function start(app: { listen(options: object): { server: { port?: number } | null } }): number {
  return app.listen({ hostname: '127.0.0.1', port: 0 }).server!.port!
}
