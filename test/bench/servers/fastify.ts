import { type FastifyInstance, fastify } from 'fastify'
import * as z from 'zod'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'
import * as contract from './contract.ts'

declare module 'fastify' {
  interface FastifyRequest {
    owner: string
  }
}

const schemaOf = (type: z.ZodType) => z.toJSONSchema(type, { target: 'draft-7', io: 'input' })
const Plant = schemaOf(contract.Plant)
const ListSchema = {
  querystring: schemaOf(contract.ListQuery),
  response: { 200: { type: 'array', items: Plant } },
}
const CreateSchema = { body: schemaOf(contract.NewPlant), response: { 200: Plant } }
const DeleteSchema = { params: schemaOf(contract.PlantPath) }

/** Fastify with schemas for what comes in and what goes out, as its guide recommends. */
export async function listen(storage: MemoryStorage): Promise<number> {
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

  app.get<{ Querystring: { limit: string } }>(
    '/plants',
    { schema: ListSchema },
    async ({ owner, query }, reply) => {
      const { page, link } = contract.readPage(storage, owner, Number(query.limit))
      if (link) reply.header('link', link)
      return page
    },
  )

  app.post<{ Body: { id: number; name: string; tag?: string } }>(
    '/plants',
    { schema: CreateSchema },
    async ({ owner, body: { id, name, tag } }, reply) => {
      const isCreated = storage.create(owner, { id: BigInt(id), name, tag })
      return isCreated ? { name, tag } : reply.code(400).send()
    },
  )

  app.delete<{ Params: { id: string } }>(
    '/plants/:id',
    { schema: DeleteSchema },
    async ({ owner, params }, reply) =>
      reply.code(storage.delete(owner, BigInt(params.id)) ? 204 : 404).send(),
  )

  return start(app)
}

/** The plant store in Fastify. */
export async function mount(store: PlantStore): Promise<number> {
  const app = fastify()
  app.register(toFastifyPlugin(store))
  return start(app)
}

async function start(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}
