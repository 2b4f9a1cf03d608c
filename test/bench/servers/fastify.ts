import { type FastifyInstance, fastify } from 'fastify'
import type { MapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    owner: string
  }
}

const text = { type: 'string', pattern: contract.STORABLE_TEXT }
// Fastify's JSON parser makes doubles: exact in this range only.
const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
const NewPlant = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', minimum, maximum }, name: text, tag: text },
}
const Plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
}
const ListQuery = {
  type: 'object',
  properties: {
    limit: { type: 'string', pattern: contract.LIMIT.source },
    cursor: { type: 'string', pattern: contract.CURSOR.source },
  },
}
const PlantPath = {
  type: 'object',
  properties: { id: { type: 'string', pattern: contract.ID.source } },
}

/** Fastify with schemas for what comes in and what goes out, as its guide recommends. */
export async function listen(storage: MapStorage): Promise<number> {
  // The defaults are production's: no logger.
  const app = fastify({
    bodyLimit: contract.MAX_BODY_BYTES,
    // A name of 7 is refused, not made '7'.
    ajv: { customOptions: { coerceTypes: false } },
  })
  app.removeContentTypeParser('text/plain')

  app.decorateRequest('owner', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(contract.EVERY_REPLY)
    const owner = contract.ownerOf(request.headers.authorization)
    if (!owner) return reply.code(401).headers(contract.CHALLENGE).send()
    request.owner = owner
  })

  app.get<{ Querystring: { limit?: string; cursor?: string } }>(
    '/plants',
    { schema: { querystring: ListQuery, response: { 200: { type: 'array', items: Plant } } } },
    async ({ owner, query }, reply) => {
      const limit = Number(query.limit ?? contract.MAX_LIMIT)
      if (limit > contract.MAX_LIMIT) return reply.code(400).send()
      const after = contract.idOf(query.cursor)
      const { page, link } = contract.readPage(storage, owner, limit, after)
      if (link) reply.header('link', link)
      return page
    },
  )

  app.post<{ Body: { id: number; name: string; tag?: string } }>(
    '/plants',
    { schema: { body: NewPlant, response: { 200: Plant } } },
    async ({ owner, body: { id, name, tag } }, reply) => {
      const isCreated = storage.create(owner, { id: BigInt(id), name, tag })
      return isCreated ? { name, tag } : reply.code(400).send()
    },
  )

  app.delete<{ Params: { id: string } }>(
    '/plants/:id',
    { schema: { params: PlantPath } },
    async ({ owner, params }, reply) =>
      reply.code(storage.delete(owner, BigInt(params.id)) ? 204 : 404).send(),
  )

  return start(app)
}

/** The plant store in Fastify. */
export async function mount(storage: MapStorage): Promise<number> {
  const { toFastifyPlugin } = await importBuilt('adapters/fastify.ts')
  const app = fastify()
  app.register(toFastifyPlugin(await createStore(storage)))
  return start(app)
}

async function start(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}
