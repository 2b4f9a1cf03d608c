/**
 * Serves a store with Node, or mounts it in a server of yours.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { serve } from 'plant-store/node'
 *
 * const server = await serve(createPlantStore(storage, verify), { port: 3000 })
 * ```
 *
 * @module
 */
export { toNodeHandler } from './node/handler.ts'
export { serve } from './node/serve.ts'
export type { RunningServer, ServeOptions } from './shared/running-server.ts'
