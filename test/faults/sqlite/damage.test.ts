import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { temporaryFile } from './processes.ts'

const plantOf = (id: bigint) => ({ id, name: `Plant ${id}` })

it('damaged pages fail only the writes that need them', async () => {
  const file = temporaryFile()
  const first = sqliteStorage(file)
  const ids = Array.from({ length: 2000 }, (_, id) => BigInt(id))
  await Promise.all(ids.map((id) => first.create('alice', plantOf(id))))
  await first.close()
  const content = readFileSync(file)
  writeFileSync(file, content.fill(0xff, content.length / 2))

  const storage = sqliteStorage(file)
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
