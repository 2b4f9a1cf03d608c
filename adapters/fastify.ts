/**
 * Mounts a store in a Fastify 5 app, as a plugin with a prefix of its own.
 *
 * ```ts
 * import Fastify from 'fastify'
 * import { createPlantStore } from 'plant-store'
 * import { plantStore } from 'plant-store/fastify'
 *
 * const app = Fastify()
 * app.register(plantStore, { store: createPlantStore(storage, verify), prefix: '/api/v1' })
 * ```
 *
 * @module
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlantStore } from '../src/plant-store.ts'
import { readPayload, toPayload } from './fastify/payload.ts'
import { fromNodeRequest } from './node/request.ts'
import { readTarget } from './node/target.ts'

/** What the plugin is registered with, beside Fastify's own `prefix`. */
export interface PlantStorePluginOptions {
  /** A store without `basePath`: here the prefix takes its place. */
  store: Pick<PlantStore, 'handle'>
}

/**
 * The Fastify plugin. It is encapsulated: what it does to the parsing of bodies ends with its own
 * routes. All of the app's hooks run for them and see the status, the headers and the body that are
 * sent, and a path that is not the store's gets the app's own 404. (A path with a broken
 * percent-encoding gets Fastify's own 400, before any plugin is asked.)
 *
 * Fastify's `bodyLimit` does not count for these routes: the store's `maxBodyBytes` does.
 *
 * @throws when the store has a `basePath`
 *
 * @example
 * ```ts
 * app.register(plantStore, { store, prefix: '/api/v1' })
 * ```
 */
export async function plantStore(
  app: FastifyInstance<any, any, any, any, any>,
  { store }: PlantStorePluginOptions,
): Promise<void> {
  const probe = new Request('http://localhost/plants', { method: 'OPTIONS' })
  if (!(await store.handle(probe))) {
    throw new TypeError('Give the path as the prefix of the plugin, not as basePath of the store')
  }
  const mountDepth = app.prefix.replace(/\/$/, '').split('/').length - 1

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: FastifyRequest, payload: Readable, done: Done) =>
    done(null, payload),
  )
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // Fastify would answer a malformed Content-Type itself. The store reads the raw request's.
    if (request.mediaType === undefined) request.headers = { 'content-type': undefined }
    done(null, payload)
  })
  app.all('/plants', answer)
  app.all('/plants/*', answer)

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = readTarget(request.originalUrl) ?? '/'
    const incoming = fromNodeRequest(request.raw, reply.raw, url)
    const answer = await store.handle({
      ...incoming,
      // As it was sent: Fastify's own params are decoded.
      url: withoutSegments(request.raw.url!, mountDepth),
      readBody: (maxBytes) =>
        isReplaced(request)
          ? readPayload(request.raw, request.body, maxBytes)
          : incoming.readBody(maxBytes),
    })
    if (!answer) {
      reply.callNotFound()
      return reply
    }
    return (
      reply
        .code(answer.status)
        .headers(answer.headers)
        // Fastify would add a charset to the Content-Type.
        .serializer(String)
        .send(toPayload(request.raw, reply, answer.body))
    )
  }
}

/** Whether a preParsing hook of the app has put another stream in the place of the body's. */
function isReplaced(request: FastifyRequest): request is FastifyRequest & { body: Readable } {
  return request.body instanceof Readable && request.body !== request.raw
}

type Done = (error: null, body: unknown) => void

/** Leaves out the first segments of a URL's path. */
function withoutSegments(url: string, count: number): string {
  let start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('://') + 3)
  for (let i = 0; i < count; i++) start = url.indexOf('/', start + 1)
  return url.slice(start)
}
