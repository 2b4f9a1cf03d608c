import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { freshFile } from '../../src/storage/sqlite-files.ts'
import { countPlants, integrityOf } from './contents.ts'

it.each([
  [25, 4],
  [1, 400],
])(
  'processes create %i SQLite files at the same moment, and each of %i ids once, of which exactly one is told',
  async (files, ids) => {
    const file = freshFile()
    const args = [join(import.meta.dirname, 'one-of-many.ts'), file, `${files}`, `${ids}`]
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    const exits = children.map((child) => once(child, 'exit'))
    await Promise.all(children.map((child) => once(child.stdout, 'data')))
    const moment = Date.now() + 50
    for (const child of children) child.stdin.end(`${moment}`)
    const outputs = await Promise.all(children.map((child) => text(child.stdout)))
    expect(await Promise.all(exits)).toEqual(exits.map(() => [0, null]))

    const each = Array.from({ length: files * ids }, (_, n) => `${Math.floor(n / ids)} ${n % ids}`)
    expect(
      outputs
        .join('')
        .match(/\d+ \d+/g)
        ?.sort(),
    ).toEqual(each.sort())
    for (let index = 0; index < files; index++) {
      expect(countPlants(`${file}-${index}`)).toBe(ids)
      expect(integrityOf(`${file}-${index}`)).toBe('ok')
    }
  },
)
