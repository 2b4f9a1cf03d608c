import { describe, expect, it } from 'vitest'
import { run } from './program.ts'

// On Node, test/src/storage tests it.
describe.concurrent('sqliteStorage', () => {
  it.each([
    ['bun', 'test', '--timeout', '60000'],
    ['deno', 'test', '-A', '--no-check'],
  ])('keeps the contract of PlantStorage, in %s', async (program, ...args) => {
    const tests = './test/runtimes/entries/sqlite.ts'
    const { stdout, stderr } = await run(program, [...args, tests])
    expect(stdout + stderr).toContain('an instance goes on when others are closed')
  })
})
