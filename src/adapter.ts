/**
 * What an adapter needs, for a framework that plant-store has no adapter for.
 *
 * ```ts
 * import { fromRequest, toResponse } from 'plant-store/adapter'
 *
 * // A host that gives a Fetch Request, and has work to do after the response.
 * async function serve(request: Request, host: Host): Promise<Response> {
 *   const incoming = { ...fromRequest(request), waitUntil: (work) => host.waitUntil(work) }
 *   return toResponse((await store.handle(incoming)) ?? (await store.notFound(incoming)))
 * }
 * ```
 *
 * @module
 */
export { internalErrorReply } from './http/answer.ts'
export { type BodyBuffer, createBodyBuffer } from './http/body-buffer.ts'
export { fromRequest } from './http/web-request.ts'
export { toResponse } from './http/web-response.ts'
export { BodyConsumedError, type IncomingBody, type IncomingRequest } from './incoming-request.ts'
export type { MaybePromise } from './maybe-promise.ts'
export type { PlantStore } from './plant-store.ts'
export { isStream, type Reply } from './reply.ts'
