/**
 * Serves a store with Node, or mounts it in a server of your own.
 *
 * @module
 */
export { toNodeHandler } from './node/handler.ts'
export { serve } from './node/serve.ts'
export type { RunningServer, ServeOptions } from './shared/running-server.ts'
