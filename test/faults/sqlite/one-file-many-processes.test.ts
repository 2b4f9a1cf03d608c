import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startCommand, untilPrinted } from '../../shared/command.ts'
import { freshFile } from '../../src/storage/sqlite-files.ts'
import { countPlants, integrityOf } from './contents.ts'

it.each([
  [25, 4],
  [1, 400],
])(
  'processes create %i SQLite files at the same moment, and each of %i ids once, of which exactly one is told',
  async (files, ids) => {
    const file = freshFile()
    const script = join(import.meta.dirname, 'one-of-many.ts')
    const commands = Array.from({ length: 4 }, () =>
      startCommand([process.execPath, script, file, `${files}`, `${ids}`], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(commands.map((command) => untilPrinted(command, /ready/)))
    const moment = Date.now() + 50
    for (const { child } of commands) child.stdin!.end(`${moment}`)
    expect(await Promise.all(commands.map(({ exit }) => exit))).toEqual([0, 0, 0, 0])

    const told = commands.flatMap(({ output }) => output().match(/\d+ \d+/g) ?? [])
    const each = Array.from({ length: files * ids }, (_, n) => `${Math.floor(n / ids)} ${n % ids}`)
    expect(told.sort()).toEqual(each.sort())
    for (let index = 0; index < files; index++) {
      expect(countPlants(`${file}-${index}`)).toBe(ids)
      expect(integrityOf(`${file}-${index}`)).toBe('ok')
    }
  },
)
