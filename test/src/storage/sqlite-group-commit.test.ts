import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { freshFile, openStorage, plantOf } from './sqlite-files.ts'

it('the -wal file of sqliteStorage shrinks after a VACUUM by another process', async () => {
  const file = freshFile()
  const storage = openStorage(file)
  const name = 'x'.repeat(1024 * 1024)
  for (let id = 0; id < 12; id++) await storage.create('a', { id: BigInt(id), name })
  const other = new DatabaseSync(file)
  other.exec('VACUUM')
  other.close()
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(12 * 1024 * 1024)
  for (let id = 12; id < 15; id++) await storage.create('a', plantOf(BigInt(id)))
  expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(8 * 1024 * 1024)
})

describe('creates and deletes of sqliteStorage that wait at the same moment', () => {
  it('share one commit, with those of the next turn of the event loop too', async () => {
    const file = freshFile()
    const storage = openStorage(file)
    await storage.create('a', plantOf(0n))
    const before = statSync(`${file}-wal`).size
    const first = storage.create('a', plantOf(1n))
    await setImmediate()
    await Promise.all([first, storage.create('a', plantOf(2n))])
    // One frame: a page of 4 KiB after its header.
    expect(statSync(`${file}-wal`).size - before).toBe(4096 + 24)
  })

  it('let the event loop turn after 200 of them', async () => {
    const storage = openStorage(':memory:')
    let created = 0
    const creates = Array.from({ length: 1000 }, async (_, id) => {
      if (await storage.create('a', plantOf(BigInt(id)))) created++
    })
    while (created < 1000) {
      const before = created
      await setImmediate()
      expect(created - before).toBeLessThanOrEqual(200)
    }
    await Promise.all(creates)
    expect(storage.list('a', { limit: 9999 })).toHaveLength(1000)
  })
})
