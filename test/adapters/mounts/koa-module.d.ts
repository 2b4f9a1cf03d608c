declare module 'koa' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Context {
    readonly path: string
    readonly req: IncomingMessage
    readonly res: ServerResponse
    respond: boolean
  }
  export default class Koa {
    use(middleware: (ctx: Context, next: () => Promise<void>) => unknown): this
    callback(): RequestListener
  }
}
