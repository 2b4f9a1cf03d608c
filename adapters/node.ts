/**
 * Serves a store with Node, or mounts it in a server of your own.
 *
 * @module
 */
export { enableGracefulClose } from './node/graceful-close.ts'
export { toNodeHandler } from './node/handler.ts'
export { serve } from './node/serve.ts'
export type { CloseOptions } from './shared/close.ts'
export type { RunningServer, ServeOptions } from './shared/running-server.ts'
