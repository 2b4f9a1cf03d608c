import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PATH, ROOT } from './program.ts'

// On Node, test/src/storage tests it.
describe.concurrent('sqliteStorage', () => {
  it.each([
    ['bun', 'test', '--timeout', '60000'],
    ['deno', 'test', '-A', '--no-check'],
  ])('keeps the contract of PlantStorage, in %s', async (program, ...args) => {
    const options = { cwd: ROOT, env: { ...process.env, PATH } }
    const tests = [...args, './test/runtimes/entries/sqlite.ts']
    const { stdout, stderr } = await promisify(execFile)(program, tests, options)
    expect(stdout + stderr).toContain('an instance goes on when others are closed')
  })
})
