import { type FastifyInstance, fastify } from 'fastify'
import type { ErrorName } from '../../../src/errors.ts'
import type { MapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    owner: string
  }
}

const plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
}
const text = { type: 'string', pattern: contract.STORABLE_TEXT }
const newPlant = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    // Fastify's JSON parser makes doubles: exact in this range only.
    id: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    name: text,
    tag: text,
  },
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
    request.owner = contract.authenticate(request.headers.authorization)
  })

  app.setErrorHandler((error: any, _request, reply) => {
    const name = error instanceof contract.Failure ? error.errorName : failureOf(error)
    if (contract.statusOf(name) === 401) reply.headers(contract.CHALLENGE)
    return reply.code(contract.statusOf(name)).send(contract.errorBody(name))
  })

  app.get<{ Querystring: { limit?: string; cursor?: string } }>(
    '/plants',
    {
      schema: {
        querystring: {
          type: 'object',
          properties: {
            limit: { type: 'string', pattern: contract.LIMIT.source },
            cursor: { type: 'string', pattern: contract.CURSOR.source },
          },
        },
        response: { 200: { type: 'array', items: plant } },
      },
    },
    async (request, reply) => {
      const limit = Number(request.query.limit ?? contract.MAX_LIMIT)
      if (limit > contract.MAX_LIMIT) throw new contract.Failure('invalid_limit')
      const after = contract.idOf(request.query.cursor)
      const found = storage.list(request.owner, { after, limit: limit + 1 })
      const { page, link } = contract.toPage(found, limit)
      if (link) reply.header('link', link)
      return page
    },
  )

  app.post<{ Body: { id: number; name: string; tag?: string } }>(
    '/plants',
    { schema: { body: newPlant, response: { 200: plant } } },
    async (request) => {
      const { id, name, tag } = request.body
      if (!storage.create(request.owner, { id: BigInt(id), name, tag })) {
        throw new contract.Failure('duplicate_id')
      }
      return { name, tag }
    },
  )

  app.delete<{ Params: { id: string } }>(
    '/plants/:id',
    {
      schema: {
        params: {
          type: 'object',
          properties: { id: { type: 'string', pattern: contract.ID.source } },
        },
      },
    },
    async (request, reply) => {
      if (!storage.delete(request.owner, BigInt(request.params.id))) {
        throw new contract.Failure('plant_not_found')
      }
      return reply.code(204).send()
    },
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

/** The failure that one of Fastify's own errors is. */
function failureOf({ validation, validationContext, statusCode }: any): ErrorName {
  if (validationContext === 'body') return 'invalid_plant'
  if (validationContext === 'params') return 'invalid_id'
  if (validation)
    return validation[0].instancePath === '/cursor' ? 'invalid_cursor' : 'invalid_limit'
  if (statusCode === 413) return 'body_too_large'
  if (statusCode === 415) return 'unsupported_media_type'
  return statusCode === 400 ? 'malformed_json' : 'internal'
}
