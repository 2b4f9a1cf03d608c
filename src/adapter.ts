/**
 * Helpers to write an adapter of your own, for a host that plant-store has no adapter for.
 *
 * ```ts
 * import { isStream, type PlantStore, readChunks } from 'plant-store/adapter'
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
 *     const reply = (await store.handle(incoming)) ?? (await store.notFound(incoming))
 *     if (!isStream(reply.body)) return response.send(reply.status, reply.headers, reply.body)
 *     response.start(reply.status, reply.headers)
 *     try {
 *       for await (const part of reply.body) await response.write(part) // rejects on a hang-up
 *       response.end()
 *     } catch {
 *       response.abort() // breaks the connection: a truncated list must not look complete
 *     }
 *   }
 * }
 * ```
 *
 * Send `Content-Length` with a body that is a string. A reply with the status 499 is for a client that has
 * disconnected: send nothing. Send `internalErrorReply()` if `handle` throws, which only an app's wrapper
 * around the store does.
 *
 * @module
 */
export { internalErrorReply } from './http/answer.ts'
export { readChunks } from './http/body-buffer.ts'
export { fromRequest } from './http/web-request.ts'
export { toResponse } from './http/web-response.ts'
export { BodyConsumedError, type IncomingBody, type IncomingRequest } from './incoming-request.ts'
export type { MaybePromise } from './maybe-promise.ts'
export type { PlantStore } from './plant-store.ts'
export { isStream, type Reply } from './reply.ts'
