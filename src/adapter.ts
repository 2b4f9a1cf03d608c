/**
 * Helpers to write an adapter for another host. The adapters of this package are written with them too.
 *
 * ```ts
 * import { getReply, isStream, type PlantStore, readChunks } from 'plant-store/adapter'
 *
 * function toHandler(store: PlantStore) {
 *   return async ({ method, path, url, headers, body, signal }: HostRequest, response: HostResponse) => {
 *     const incoming = {
 *       method,
 *       url: path, // without the mount path
 *       headers: { get: (name: string) => headers[name] ?? null },
 *       readBody: (maxBytes: number) => readChunks(body, maxBytes),
 *       toRequest: () => new Request(url, { method, headers, signal }), // the full URL
 *       isAborted: () => signal.aborted,
 *     }
 *     const reply = await getReply(store, incoming)
 *     if (!isStream(reply.body)) return response.send(reply.status, reply.headers, reply.body)
 *     response.start(reply.status, reply.headers)
 *     try {
 *       for await (const part of reply.body) await response.write(part) // rejects on a hang-up
 *       response.end()
 *     } catch (error) {
 *       response.abort() // breaks the connection: a truncated list must not look complete
 *     }
 *   }
 * }
 * ```
 *
 * Send `Content-Length` with a body that is a string. A reply with the status 499 is for a client that has
 * disconnected: send nothing.
 *
 * @module
 */
export type { Caller } from './auth-verifier.ts'
export { BodyConsumedError } from './errors.ts'
export { type BodyBuffer, createBodyBuffer, readChunks } from './http/body.ts'
export { fromRequest } from './http/request.ts'
export {
  assertStore,
  getReply,
  getResponse,
  internalErrorReply,
  type MountedStore,
  toResponse,
} from './http/response.ts'
export type { IncomingBody, IncomingRequest } from './incoming-request.ts'
export { assertOptions, assertWholeNumber } from './lib/arguments.ts'
export type { AwaitUsing, MaybePromise } from './lib/promises.ts'
export type { PlantStore } from './plant-store.ts'
export { isStream, type Reply } from './reply.ts'
