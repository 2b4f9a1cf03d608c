import { fastify } from 'fastify'
import type { MapStorage } from '../map-storage.ts'
import {
  BEARER,
  ContractError,
  CURSOR,
  EVERY_REPLY,
  errorBody,
  idOf,
  MAX_BODY_BYTES,
  MAX_LIMIT,
  nextLink,
  owners,
  STORABLE_TEXT,
  statusOf,
} from './contract.ts'

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
const text = { type: 'string', pattern: STORABLE_TEXT }
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
    bodyLimit: MAX_BODY_BYTES,
    // A name of 7 is refused, not made '7'.
    ajv: { customOptions: { coerceTypes: false } },
  })
  app.removeContentTypeParser('text/plain')

  app.decorateRequest('owner', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(EVERY_REPLY)
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw new ContractError('missing_token')
    const owner = owners.get(token)
    if (owner === undefined) throw new ContractError('invalid_token')
    request.owner = owner
  })

  app.setErrorHandler((error: any, _request, reply) => {
    const name =
      error instanceof ContractError
        ? error.errorName
        : error.validation
          ? error.validationContext === 'body'
            ? 'invalid_plant'
            : error.validation[0].instancePath === '/cursor'
              ? 'invalid_cursor'
              : 'invalid_limit'
          : error.statusCode === 413
            ? 'body_too_large'
            : error.statusCode === 415
              ? 'unsupported_media_type'
              : error.statusCode === 400
                ? 'malformed_json'
                : 'internal'
    if (statusOf(name) === 401) reply.header('www-authenticate', 'Bearer realm="plants"')
    return reply.code(statusOf(name)).send(errorBody(name))
  })

  app.get<{ Querystring: { limit?: string; cursor?: string } }>(
    '/plants',
    {
      schema: {
        querystring: {
          type: 'object',
          properties: {
            limit: { type: 'string', pattern: '^(?:0|[1-9]\\d{0,9})$' },
            cursor: { type: 'string', pattern: CURSOR.source },
          },
        },
        response: { 200: { type: 'array', items: plant } },
      },
    },
    async (request, reply) => {
      const limit = Number(request.query.limit ?? MAX_LIMIT)
      if (limit > MAX_LIMIT) throw new ContractError('invalid_limit')
      const after = idOf(request.query.cursor)
      const found = storage.list(request.owner, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      if (found.length > limit && limit > 0) reply.header('link', nextLink(limit, page))
      return page
    },
  )

  app.post<{ Body: { id: number; name: string; tag?: string } }>(
    '/plants',
    { schema: { body: newPlant, response: { 200: plant } } },
    async (request) => {
      const { id, name, tag } = request.body
      if (!storage.create(request.owner, { id: BigInt(id), name, tag })) {
        throw new ContractError('duplicate_id')
      }
      return { name, tag }
    },
  )

  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}
