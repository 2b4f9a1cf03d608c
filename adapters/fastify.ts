/**
 * Mounts a store in a Fastify app (5, or 4.2 and newer), as a plugin.
 *
 * @module
 */
import { finished, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  assertStore,
  type IncomingRequest,
  isStream,
  type PlantStore,
  type Reply,
  readChunks,
} from '../src/adapter.ts'
import { assertHandlerOptions, type HandlerOptions } from './caller.ts'
import { abortResponse, dropRest } from './node/reply.ts'
import { fromNodeRequest, type NodeRequest, readBody, requestTurn } from './node/request.ts'

/** A plugin, and the options of `register`. */
export type FastifyPlantPlugin = (
  app: FastifyInstance<any, any, any, any, any>,
  options: FastifyPlantOptions,
) => Promise<void>

/** The options of the plugin, in addition to Fastify's (`prefix`). */
export interface FastifyPlantOptions extends HandlerOptions<FastifyRequest> {}

/**
 * Creates a Fastify plugin. It is encapsulated: how it handles bodies applies to its own routes only. All
 * of the app's hooks run for these routes, and see the status, the headers and the body that are sent.
 *
 * Fastify's `bodyLimit` doesn't apply to these routes; the store's `maxBodyBytes` does.
 *
 * @param store what `createPlantStore` or its `as` returns, without `basePath`: the plugin's `prefix` takes its place
 * @returns the plugin, with the option `caller`. With a store that has a `basePath`, its routes throw a TypeError
 *
 * @example
 * ```ts
 * import Fastify from 'fastify'
 *
 * const app = Fastify()
 * app.register(toFastifyPlugin(store), { prefix: '/api/v1' })
 * ```
 */
export function toFastifyPlugin(store: Pick<PlantStore, 'handle'>): FastifyPlantPlugin {
  assertStore('toFastifyPlugin', store, 'handle')
  return async (app, { caller }) => {
    assertHandlerOptions('toFastifyPlugin', { caller })
    const mountDepth = app.prefix.replace(/\/$/, '').split('/').length - 1

    // The store reads the body itself, with its own limit and exact ids.
    app.removeAllContentTypeParsers()
    // The pattern matches every type. Fastify 4 takes '*' where there is none.
    for (const type of ['*', /^/]) app.addContentTypeParser(type, passOn)
    app.addHook('preParsing', (request, _reply, _payload, done) => {
      // Fastify responds to a malformed Content-Type itself, if it is so new that it has a mediaType. The store reads
      // the one of the raw request.
      const type = request.raw.headers['content-type']
      if (type !== undefined && 'mediaType' in request && request.mediaType === undefined) {
        request.headers = { 'content-type': undefined }
      }
      done()
    })
    // @fastify/swagger would list 18 operations. The OpenAPI document of the store has its three.
    for (const path of ['/plants', '/plants/*']) {
      app.all(path, { schema: { hide: true } as object }, respond)
    }

    async function respond(request: FastifyRequest, reply: FastifyReply) {
      const { raw } = request
      const incoming: IncomingRequest = {
        ...fromNodeRequest(raw, reply.raw, caller && (() => caller(request))),
        // Not from request.params, which Fastify has decoded.
        url: withoutSegments(raw.url!, mountDepth),
        readBody(maxBytes) {
          const body = request.body as Readable | undefined
          // A preParsing hook of the app may have replaced the stream of the body.
          const isReplaced = typeof body?.pipe === 'function' && body !== raw
          return isReplaced ? readReplaced(raw, body, maxBytes) : readBody(raw, reply.raw, maxBytes)
        },
      }
      const wasFlowing = raw.readableFlowing
      await requestTurn(raw, reply.raw)
      const answer = await store.handle(incoming)
      if (answer) await send(raw, reply, answer)
      else if (/^\/plants(?:$|\?)/.test(incoming.url)) {
        throw new TypeError("Pass the path as the plugin's prefix, not as the store's basePath")
      } else {
        if (wasFlowing) raw.resume()
        reply.callNotFound()
      }
      return reply
    }
  }
}

function passOn(_: FastifyRequest, body: Readable, done: (error: null, body: Readable) => void) {
  // A stream that a hook has made, or a request that a hook destroys, may fail while it isn't read.
  body.on('error', () => {})
  done(null, body)
}

/** Sends a reply. Resolves when a stream has ended. */
async function send(message: NodeRequest, reply: FastifyReply, { status, headers, body }: Reply) {
  const response = reply.raw
  // Without the serializer, Fastify adds a charset to the Content-Type.
  reply.code(status).headers(headers).serializer(payloadText)
  if (!isStream(body)) {
    dropRest(message, response)
    reply.send(body ?? undefined)
    return
  }
  // The app's hooks expect bytes, since they may concatenate chunks.
  const stream = Readable.from(body, { objectMode: false })
  const closed = new Promise((resolve) => response.once('close', resolve))
  reply.send(stream.once('error', () => abortResponse(message, response)))
  // If Fastify waited for the end, it would add two listeners. With those of Sentry, Node would warn of a leak.
  if (!response.destroyed) await closed
  // A hook may have replaced it.
  stream.destroy()
  // Not before, since its limits would end a list that is read slowly.
  dropRest(message, response)
}

/** The payload isn't always the store's text: if an onSend hook fails, the app's error handler may send an object. */
function payloadText(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload)
}

function readReplaced(raw: Readable, body: Readable, maxBytes: number) {
  // pipe() passes on the end of the request, but not that it was aborted.
  finished(raw, (error) => error && body.destroy(error))
  // requestTurn() has paused it.
  raw.resume()
  // Streams of readable-stream 3 have no iterator().
  return readChunks(body.iterator?.({ destroyOnReturn: false }) ?? body, maxBytes)
}

/** Removes the first segments of a URL's path. */
function withoutSegments(url: string, count: number): string {
  let start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('://') + 3)
  for (let i = 0; i < count; i++) start = url.indexOf('/', start + 1)
  return url.slice(start)
}
