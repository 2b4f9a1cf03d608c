import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Client, createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/index.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { d1Migration, d1Storage } from '../../src/storage/d1.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { listen } from '../shared/listen.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'
import { evaluate, guideLines } from './guide-lines.ts'

const lines = guideLines('d1Storage')

/** The guide's line, with what it uses. */
function open(name: string, uses: Record<string, unknown>): PlantStorage {
  return evaluate(lines.get(name)!, { d1Storage, StorageUnavailableError, ...uses })
}

it('each line of the guide is tried', () => {
  expect([...lines.keys()]).toEqual(['Libsql', 'Handle'])
})

describe('on libSQL', () => {
  const file = join(folderOfTests(), 'plants.db')
  let libsql: Client
  beforeAll(async () => {
    libsql = createClient({ url: `file:${file}` })
    await libsql.execute(d1Migration())
  })
  afterAll(() => libsql.close())

  const onFile = () => open('Libsql', { libsql })

  testPlantStorage({ describe, it }, async () => {
    await libsql.execute('DELETE FROM plants')
    return onFile()
  })

  it('tells a mistake from a server that fails or can’t be reached', async () => {
    await libsql.execute('DROP TABLE plants')
    const missing = Promise.resolve(onFile().list('alice', { limit: 1 }))
    await expect(missing).rejects.toThrow('no such table')
    await expect(missing).rejects.not.toThrow(StorageUnavailableError)

    const { url, close } = await listen((_, response) => response.writeHead(502).end())
    const remote = open('Libsql', { libsql: createClient({ url, authToken: 's3cret' }) })
    const list = async () => remote.list('alice', { limit: 1 })
    await expect(list).rejects.toThrow(StorageUnavailableError)
    await close()
    await expect(list).rejects.toThrow(StorageUnavailableError)
  })
})

describe('on an open handle', () => {
  let handle: DatabaseSync
  beforeAll(() => {
    handle = new DatabaseSync(':memory:')
    handle.exec(d1Migration())
  })
  afterAll(() => handle.close())

  testPlantStorage({ describe, it }, () => {
    handle.exec('DELETE FROM plants')
    return open('Handle', { handle })
  })
})
