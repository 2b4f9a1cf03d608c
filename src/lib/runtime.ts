/** Whether the runtime is Deno. */
export const isDeno = 'Deno' in globalThis

/**
 * Whether the runtime is a Cloudflare Worker. There, a request must not wait for the work of another: that work may be
 * cancelled with its request (https://developers.cloudflare.com/workers/observability/errors/).
 */
export function isCloudflareWorkers(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}

/** Throws where Promise lacks what is used. Without this, it would fail later, and not say why. */
export function assertRuntime(): void {
  if ('withResolvers' in Promise) return
  const { version } = Object((globalThis as { process?: unknown }).process)
  throw new Error(
    `plant-store needs Node 22.18 or newer, or another runtime with Promise.withResolvers, and a global Promise that was not replaced; got ${version}`,
  )
}
