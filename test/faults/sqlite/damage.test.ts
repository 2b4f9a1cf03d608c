import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { freshFile, openStorage, plantOf } from '../../src/storage/sqlite-files.ts'

const ids = Array.from({ length: 2000 }, (_, id) => BigInt(id))
const unavailable = {
  code: 'storage_unavailable',
  cause: expect.objectContaining({ errcode: 11 }),
}

/** A storage whose second half can be damaged on disk, and healed again. Alice's plants fill it. */
async function damageableStorage() {
  const file = freshFile()
  const first = sqliteStorage(file)
  await Promise.all(ids.map((id) => first.create('alice', plantOf(id))))
  await first.close()
  const content = readFileSync(file)
  const half = content.length / 2
  // Kept open until the test ends: closing it would release the locks of this process.
  const descriptor = openSync(file, 'r+')
  onTestFinished(() => closeSync(descriptor))
  return {
    storage: openStorage(file),
    damage: () => writeSync(descriptor, new Uint8Array(half).fill(0xff), 0, half, half),
    heal: () => writeSync(descriptor, content, half, half, half),
  }
}

it('damaged pages fail only the writes that need them', async () => {
  const { storage, damage } = await damageableStorage()
  damage()
  const outcomes = await Promise.allSettled([
    storage.create('aaron', plantOf(1n)),
    storage.create('alice', plantOf(2000n)),
    storage.create('aaron', plantOf(2n)),
    storage.delete('aaron', 1n),
  ])
  const done = { value: true }
  expect(outcomes).toMatchObject([done, { reason: unavailable }, done, done])
  expect(storage.list('aaron', { limit: 9 })).toEqual([plantOf(2n)])
})

it('a misread page makes lists and creates unavailable until it reads well', async () => {
  const { storage, damage, heal } = await damageableStorage()
  damage()
  expect(() => storage.list('alice', { limit: 9999 })).toThrow(expect.objectContaining(unavailable))
  await expect(storage.create('alice', plantOf(2000n))).rejects.toMatchObject(unavailable)
  heal()
  expect(storage.list('alice', { limit: 9999 })).toEqual(ids.map(plantOf))
  expect(await storage.create('alice', plantOf(2000n))).toBe(true)
})
