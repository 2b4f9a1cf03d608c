/**
 * What an adapter needs, for a host that plant-store has no adapter for.
 *
 * ```ts
 * import { fromRequest, toResponse } from 'plant-store/adapter'
 *
 * // A host that gives a Fetch Request, and can be kept alive after the response.
 * async function serve(request: Request, host: Host): Promise<Response> {
 *   const incoming = {
 *     ...fromRequest(request),
 *     waitUntil: (work: Promise<unknown>) => host.waitUntil(work),
 *   }
 *   return toResponse((await store.handle(incoming)) ?? (await store.notFound(incoming)))
 * }
 * ```
 *
 * A host with requests of its own provides an `IncomingRequest`. `readChunks` reads its body. The `url` is
 * without the mount path, and `toRequest()` has the full URL. Send `Content-Length` with a body that is a
 * string. A reply with the status 499 is for a client that has disconnected: send nothing. Send
 * `internalErrorReply()` if `handle` throws, which only an app's wrapper around the store does.
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
