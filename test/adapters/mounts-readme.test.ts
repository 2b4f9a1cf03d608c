import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const directory = join(import.meta.dirname, 'mounts')
const mounts = readdirSync(directory).filter((file) => !/^store\.ts$|\.d\.ts$/.test(file))

/** What a mount's file has besides imports and the making of the app. */
function linesOf(file: string): string[] {
  return readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) =>
      /^(app\.|export \{|const (handler|plants)|export const (handler|fallback|ALL|prerender)|if |ctx\.|return )/.test(
        line,
      ),
    )
}

it.each(mounts)('README shows the lines that %s mounts the store with', (file) => {
  const lines = linesOf(file)
  if (file === 'node.ts') expect(readme).toContain('createServer(toNodeHandler(store))')
  else expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(readme).toContain(line)
})
