import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks } from '../docs/guides/guides.ts'

const guide = readFileSync(join(import.meta.dirname, '../../adapters/README.md'), 'utf8')
const directory = join(import.meta.dirname, 'mounts')
const mounts = readdirSync(directory).filter((file) => !/^store\.ts$|\.d\.ts$/.test(file))

/** The lines of a mount's file without its imports and the creation of the app. */
function linesOf(file: string): string[] {
  const code = readFileSync(join(directory, file), 'utf8')
  const body = code.replace(/^(?:import|\/\/).*$/gm, '').replace(/^export const app = .*$/m, '')
  return body.split('\n').filter((line) => line !== '')
}

describe('The guide', () => {
  it.each(mounts)('shows the lines that %s mounts the store with', (file) => {
    const lines = linesOf(file)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(guide).toContain(line.replace(/^export const server/, 'const server'))
  })

  /** The file of each app of `test/frameworks` that mounts the store, as a framework's build finds it. */
  const routes: Record<string, string> = {
    astro: 'src/pages/api/[...path].ts',
    next: 'app/api/[...path]/route.ts',
    nitro: 'routes/api/[...path].ts',
    nuxt: 'server/routes/api/[...path].ts',
    'react-router': 'app/routes/api.ts',
    sveltekit: 'src/routes/api/[...path]/+server.ts',
  }

  it.each(Object.entries(routes))(
    'The guide shows the file that mounts the store in %s',
    (app, file) => {
      const apps = join(import.meta.dirname, '../frameworks/apps')
      const block = codeBlocks('adapters/README.md').find((block) => block.file === file)
      expect(readFileSync(join(apps, app, file), 'utf8')).toBe(block?.code)
    },
  )
})
