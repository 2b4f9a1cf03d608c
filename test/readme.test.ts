import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { errors } from '../src/index.ts'
import { type Program, startProgram } from './runtimes/program.ts'

const run = promisify(execFile)
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

/** Each command of the console blocks, with the output that stands under it. */
const session = [...readme.matchAll(/^\$ (.+)\n((?:(?!\$ |```).*\n)*)/gm)].map(
  ([, command, output]) => ({ command: command!, output: output!.trim() }),
)

describe('README', () => {
  it('has the catalogue of errors as it is', () => {
    const rows = [...readme.matchAll(/^\| (\d{5}) \| (\d{3}) \| (\w+) \|/gm)]
    const documented = rows.map(([, error, status, name]) => [name, Number(error), Number(status)])
    expect(documented).toEqual(
      Object.entries(errors).map(([name, { error, status }]) => [name, error, status]),
    )
  })

  // Not every machine has curl; the requests themselves are tested elsewhere.
  describe.skipIf(spawnSync('curl', ['--version']).error)('has a curl session', () => {
    let server: Program
    beforeAll(async () => {
      server = await startProgram(manifest.scripts.start, { PORT: '0', PLANT_STORE_DB: ':memory:' })
    })
    afterAll(() => server.stop())

    it('whose output is real', async () => {
      expect(session.length).toBeGreaterThan(5)
      for (const { command, output } of session) {
        const here = command
          .replaceAll('http://127.0.0.1:3000', server.url)
          .replace('curl', 'curl -sg')
        const { stdout } = await run('bash', ['-c', here])
        expect(stdout).toBe(output)
      }
    })
  })
})
