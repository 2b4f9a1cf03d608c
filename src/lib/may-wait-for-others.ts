/**
 * Whether a request may wait for the work of another. In a Worker, it may not: the work may be cancelled with its request,
 * and nothing of it may be used (https://developers.cloudflare.com/workers/observability/errors/).
 */
export function mayWaitForOthers(): boolean {
  return globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
}
