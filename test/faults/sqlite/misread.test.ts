import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { temporaryFile } from './processes.ts'
import { integrityOf } from './soundness.ts'

const plantOf = (id: bigint) => ({ id, name: `Plant ${id}` })
const ids = Array.from({ length: 2000 }, (_, id) => BigInt(id))

/** A file whose second half can be damaged on disk, and healed again, while SQLite has it open. */
async function damageableFile() {
  const file = temporaryFile()
  const storage = sqliteStorage(file)
  await Promise.all(ids.map((id) => storage.create('alice', plantOf(id))))
  await storage.close()
  const content = readFileSync(file)
  const half = content.length / 2
  // Kept open until the test ends: closing it would release the locks of this process.
  const descriptor = openSync(file, 'r+')
  onTestFinished(() => closeSync(descriptor))
  return {
    file,
    damage: () => writeSync(descriptor, new Uint8Array(half).fill(0xff), 0, half, half),
    heal: () => writeSync(descriptor, content, half, half, half),
  }
}

describe('pages that were misread once', () => {
  it('do not make a list fail once they read well', async () => {
    const { file, damage, heal } = await damageableFile()
    const storage = sqliteStorage(file)
    damage()
    expect(() => storage.list('alice', { limit: 9999 })).toThrow('malformed')
    heal()
    expect(storage.list('alice', { limit: 9999 })).toEqual(ids.map(plantOf))
    await storage.close()
  })

  it('do not make creates and deletes fail once they read well', async () => {
    const { file, damage, heal } = await damageableFile()
    const storage = sqliteStorage(file)
    damage()
    await expect(storage.create('alice', plantOf(2000n))).rejects.toThrow('malformed')
    heal()
    expect(
      await Promise.all([
        storage.create('alice', plantOf(2000n)),
        storage.create('alice', plantOf(1999n)),
        storage.delete('alice', 1998n),
      ]),
    ).toEqual([true, false, true])
    await storage.close()
    expect(integrityOf(file)).toBe('ok')
  })

  it('fail only the writes that need them', async () => {
    const { file, damage } = await damageableFile()
    const storage = sqliteStorage(file)
    damage()
    const outcomes = await Promise.allSettled([
      storage.create('aaron', plantOf(1n)),
      storage.create('alice', plantOf(2000n)),
      storage.delete('aaron', 1n),
    ])
    expect(outcomes).toMatchObject([
      { value: true },
      { reason: { message: expect.stringContaining('malformed') } },
      { value: true },
    ])
    await storage.close()
  })
})
