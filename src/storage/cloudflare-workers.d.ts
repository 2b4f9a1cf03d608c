/** As much of the runtime's own module as is used here, so that nobody needs Cloudflare's types. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(ctx: unknown, env: unknown)
  }
}
