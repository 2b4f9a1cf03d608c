/** Throws on a runtime that is too old. Without this, it would fail later, and not say why. */
export function assertRuntime(): void {
  if ('withResolvers' in Promise) return
  const { version } = Object((globalThis as { process?: unknown }).process)
  throw new Error(
    `plant-store needs Node 22.18 or newer, or another runtime with Promise.withResolvers; got ${version}`,
  )
}
