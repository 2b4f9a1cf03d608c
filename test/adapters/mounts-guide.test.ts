import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const guide = readFileSync(join(import.meta.dirname, '../../adapters/README.md'), 'utf8')
const directory = join(import.meta.dirname, 'mounts')
const mounts = readdirSync(directory).filter((file) => !/^store\.ts$|\.d\.ts$/.test(file))

/** The lines of a mount's file without its imports and the creation of the app. */
function linesOf(file: string): string[] {
  const code = readFileSync(join(directory, file), 'utf8')
  const body = code.replace(/^(?:import|\/\/).*$/gm, '').replace(/^export const app = .*$/m, '')
  return body.split('\n').filter((line) => line !== '')
}

it.each(mounts)('The guide shows the lines that %s mounts the store with', (file) => {
  const lines = linesOf(file)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines)
    expect(guide).toContain(line.replace(/^export const server/, 'const server'))
})
