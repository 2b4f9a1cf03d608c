import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { freshFile } from '../../src/storage/sqlite-files.ts'
import { countPlants, integrityOf } from './contents.ts'

/** Lets several processes do a task at the same moment. Returns the numbers that they print, in order. */
async function runTogether(processes: number, task: string, file: string): Promise<number[]> {
  const args = [join(import.meta.dirname, 'one-of-many.ts'), task, file]
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const exits = children.map((child) => once(child, 'exit'))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const moment = Date.now() + 50
  for (const child of children) child.stdin.end(`${moment}`)
  const outputs = await Promise.all(children.map((child) => text(child.stdout)))
  expect(await Promise.all(exits)).toEqual(exits.map(() => [0, null]))
  const numbers = outputs.join('').match(/\d+/g) ?? []
  return numbers.map(Number).sort((a, b) => a - b)
}

describe('several processes on one SQLite file', () => {
  it('create it at the same moment', async () => {
    const file = freshFile()
    await runTogether(4, 'open', file)
    for (let index = 0; index < 25; index++) {
      expect(countPlants(`${file}-${index}`)).toBe(4)
      expect(integrityOf(`${file}-${index}`)).toBe('ok')
    }
  })

  it('create each id once, and exactly one of them is told so', async () => {
    const file = freshFile()
    const ids = Array.from({ length: 400 }, (_, id) => id)
    expect(await runTogether(4, 'create', file)).toEqual(ids)
    expect(countPlants(file)).toBe(400)
    expect(integrityOf(file)).toBe('ok')
  })
})
