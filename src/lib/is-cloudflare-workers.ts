/**
 * Whether the runtime is a Cloudflare Worker. There, a request must not wait for the work of another: that work may be
 * cancelled with its request (https://developers.cloudflare.com/workers/observability/errors/).
 */
export function isCloudflareWorkers(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}
