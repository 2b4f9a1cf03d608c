/** As much of the runtime's own module as is used here, so that nobody needs Cloudflare's types. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    __DURABLE_OBJECT_BRAND: never
    constructor(ctx: unknown, env: unknown)
  }
}
