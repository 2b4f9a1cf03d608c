import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATH, ROOT } from './program.ts'

describe('sqliteStorage in Deno', () => {
  it('needs to read and to write, and no more, after a crash too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plant-store-deno-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const permissions = ['--no-prompt', '--allow-read', `--allow-write=${directory}`]
    const program = ['test/runtimes/entries/crash-sqlite.ts', join(directory, 'plants.db')]
    for (const plants of [0, 1, 2]) {
      const options = { cwd: ROOT, env: { ...process.env, PATH, NO_COLOR: '1' } }
      const { stdout } = await promisify(execFile)(
        'deno',
        ['run', ...permissions, ...program],
        options,
      )
      expect(stdout).toBe(`${plants}\n`)
    }
  })
})
