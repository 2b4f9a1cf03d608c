/** The part of the runtime's module that is used here, so that users don't need Cloudflare's types. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    __DURABLE_OBJECT_BRAND: never
    constructor(ctx: unknown, env: unknown)
  }
}
