/**
 * Checks the version of Node, whose own errors on an older one would name what it lacks, and not what to do.
 *
 * @throws Error that says which versions will do
 */
export function assertNode(version: string): void {
  const [major, minor] = version.split('.').map(Number) as [number, number]
  if (major > 22 || (major === 22 && minor >= 18)) return
  throw new Error(`it needs Node 22.18 or newer, Bun or Deno; this is Node ${version}`)
}
