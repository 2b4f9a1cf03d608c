import { expect, it } from 'vitest'
import type { SqliteStorage } from '../../../src/storage/sqlite.ts'
import { freshFile, openStorage } from '../../src/storage/sqlite-files.ts'
import { openWithConnection } from './connection.ts'
import { integrityOf } from './contents.ts'

const plantOf = (id: bigint) => ({ id, name: 'x'.repeat(1024) })
const idsIn = ({ list }: SqliteStorage) => list('alice', { limit: 999 }).map(({ id }) => id)

it('a full disk makes creates unavailable, loses nothing, and creates work again once there is room', async () => {
  const file = freshFile()
  const { storage, connection } = openWithConnection(file)
  connection.exec('PRAGMA max_page_count = 20')
  const created: bigint[] = []
  const refused: bigint[] = []
  for (let first = 0; refused.length === 0; first += 8) {
    const creates = Array.from({ length: 8 }, async (_, index) => {
      const id = BigInt(first + index)
      const isCreated = await storage.create('alice', plantOf(id)).catch((error) => {
        expect(error).toMatchObject({ code: 'storage_unavailable', message: 'The disk is full' })
        return false
      })
      if (isCreated) created.push(id)
      else refused.push(id)
    })
    await Promise.all(creates)
  }
  expect(idsIn(storage)).toEqual(created)

  connection.exec('PRAGMA max_page_count = 1000')
  for (const id of refused) expect(await storage.create('alice', plantOf(id))).toBe(true)
  await storage.close()
  expect(integrityOf(file)).toBe('ok')
  expect(idsIn(openStorage(file))).toEqual([...created, ...refused])
})
