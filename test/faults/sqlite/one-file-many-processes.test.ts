import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { headers, runTogether, startServer, temporaryFile } from './processes.ts'
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

  it('go on after one of them has held the lock for too long', async () => {
    const file = temporaryFile()
    const { plants } = await startServer(file, 200)
    const holder = new DatabaseSync(file)
    holder.exec('BEGIN EXCLUSIVE')
    const create = (id: number) =>
      fetch(plants, { method: 'POST', headers, body: JSON.stringify({ id, name: `${id}` }) })

    const refused = await Promise.all([create(1), create(2), create(3)])
    for (const response of refused) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toMatchObject({ error: 50301 })
    }
    expect(await (await fetch(plants, { headers })).json()).toEqual([])

    holder.exec('COMMIT')
    expect((await create(2)).status).toBe(200)
    expect(await (await fetch(plants, { headers })).json()).toEqual([{ name: '2' }])
    holder.close()
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
