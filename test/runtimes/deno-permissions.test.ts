import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderOfTest } from '../shared/temporary-folder.ts'
import { run } from './program.ts'

it('sqliteStorage in Deno needs to read and to write, and no more, after a crash too', async () => {
  const directory = folderOfTest()
  const permissions = ['--no-prompt', '--allow-read', `--allow-write=${directory}`]
  const program = ['test/runtimes/entries/crash-sqlite.ts', join(directory, 'plants.db')]
  const args = ['run', ...permissions, ...program]
  for (const plants of [0, 1, 2]) {
    const { stdout } = await run('deno', args)
    expect(stdout).toBe(`${plants}\n`)
  }
})
