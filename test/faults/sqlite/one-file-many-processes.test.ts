import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { runTogether, temporaryFile } from './processes.ts'
import { integrityOf } from './soundness.ts'

describe('several processes on one SQLite file', () => {
  it('create it at the same moment', async () => {
    const file = temporaryFile()
    await runTogether(4, 'opener.ts', [file, '25'])
    for (let index = 0; index < 25; index++) {
      expect(countPlants(`${file}-${index}`)).toBe(4)
      expect(integrityOf(`${file}-${index}`)).toBe('ok')
    }
  })

  it('create each id once, and exactly one of them is told so', async () => {
    const file = temporaryFile()
    const won = await runTogether(4, 'writer.ts', [file, '400'])
    const ids = won.map(Number).sort((a, b) => a - b)
    expect(ids).toEqual(Array.from({ length: 400 }, (_, id) => id))
    expect(countPlants(file)).toBe(400)
    expect(integrityOf(file)).toBe('ok')
  })

  it('back up to the same path, and exactly one of them succeeds', async () => {
    const file = temporaryFile()
    const storage = sqliteStorage(file)
    const plants = Array.from({ length: 2000 }, (_, id) => ({
      id: BigInt(id),
      name: 'x'.repeat(500),
    }))
    await Promise.all(plants.map((plant) => storage.create('alice', plant)))
    await storage.close()
    const succeeded = await runTogether(3, 'backer.ts', [file, `${file}.backup`, '10'])
    const backups = Array.from({ length: 10 }, (_, index) => `${file}.backup-${index}`)
    expect(succeeded.map(Number).sort()).toEqual([...backups.keys()])
    expect(backups.map(countPlants)).toEqual(backups.map(() => 2000))
    // Processes that close the file at the same moment may each leave its -wal to the other.
    const left = readdirSync(dirname(file)).filter((name) => !/^plants\.db-(?:wal|shm)$/.test(name))
    expect(left.sort()).toEqual([file, ...backups].map((path) => basename(path)))
  })
})

function countPlants(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('SELECT count(*) AS n FROM plants').get()?.n
  } finally {
    database.close()
  }
}
