import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../src/auth/', import.meta.url)
const IMPORT = /^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'/gm

/** The packages that a module imports, and the modules that it imports in turn. */
function packagesOf(url: URL, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>()
  if (seen.has(url.href)) return packages
  seen.add(url.href)
  for (const [, from, alone] of readFileSync(url, 'utf8').matchAll(IMPORT)) {
    const specifier = (from ?? alone)!
    if (!specifier.startsWith('.')) packages.add(specifier)
    else for (const name of packagesOf(new URL(specifier, url), seen)) packages.add(name)
  }
  return packages
}

describe('The imports', () => {
  // Each package costs milliseconds at start-up, and jose is not installed by those who verify no JWT.
  it.each([
    ['tokens.ts', []],
    ['introspection.ts', []],
    ['jwt.ts', ['jose']],
  ])('of src/auth/%s are the packages %j', (file, packages) => {
    expect([...packagesOf(new URL(file, root))]).toEqual(packages)
  })
})
