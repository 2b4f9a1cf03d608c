import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore, type PlantStorage } from '../../src/index.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { slowStorage } from '../overload/slow-storage.ts'
import { listening } from '../shared/listening.ts'

const CONNECTIONS = 300
const SLOTS = 10
const removals: (() => unknown)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plants-fairness-'))
  removals.push(() => rmSync(folder, { recursive: true }))
  return join(folder, 'plants.db')
}

/** SQLite answers a list at once: those that arrive together run before a create that waits for a commit. */
const storages = [
  { name: 'sqliteStorage', open: () => sqliteStorage(temporaryFile()), listsWait: false },
  { name: 'a slow storage', open: () => slowStorage(10, 5), listsWait: true },
]

/** A client with so many connections, which it keeps, and the token of one owner. */
function clientOf(port: number, owner: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  onTestFinished(() => agent.destroy())
  return (method: string, path: string, body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }
      const sent = request({ port, method, path, agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!))
      })
      sent.on('error', reject).end(body)
    })
}

const plant = (id: number) => `{"id":${id},"name":"Monstera"}`

/** Counts the calls of others that begin between a check of alice's token and her call, among those that may wait. */
function countOvertaking(storage: PlantStorage, listsWait: boolean) {
  const overtaking: number[] = []
  let others = 0
  let othersAtCheck = 0
  const note = (owner: string) => {
    if (owner === 'alice') overtaking.push(others - othersAtCheck)
    else others++
  }
  const counting: PlantStorage = {
    ...storage,
    create(owner, ...call) {
      note(owner)
      return storage.create(owner, ...call)
    },
    list(owner, ...call) {
      if (listsWait) note(owner)
      return storage.list(owner, ...call)
    },
    delete(owner, ...call) {
      note(owner)
      return storage.delete(owner, ...call)
    },
  }
  function verify(owner: string) {
    if (owner === 'alice') othersAtCheck = others
    return { owner }
  }
  return { counting, verify, overtaking }
}

describe.each(storages)('On $name, an owner with 300 busy connections', ({ open, listsWait }) => {
  it('lets an owner with one go first, and gets none of its calls refused', async () => {
    const { counting, verify, overtaking } = countOvertaking(open(), listsWait)
    const store = createPlantStore(counting, verify, {
      maxConcurrentCalls: SLOTS,
      onError() {},
    })
    const { port } = await listening(toNodeHandler(store))
    removals.unshift(() => store.close())
    const mallory = clientOf(port, 'mallory', CONNECTIONS)
    const alice = clientOf(port, 'alice', 1)
    let isOver = false
    let id = 0
    async function flood(): Promise<void> {
      while (!isOver) {
        await mallory('POST', '/plants', plant(id++))
        await mallory('GET', '/plants?limit=10')
      }
    }
    const floods = Array.from({ length: CONNECTIONS }, flood)
    await new Promise((resolve) => setTimeout(resolve, 500))
    for (let round = 0; round < 2; round++) {
      expect(await alice('POST', '/plants', plant(round))).toBe(200)
      expect(await alice('GET', '/plants?limit=10')).toBe(200)
      expect(await alice('DELETE', `/plants/${round}`)).toBe(204)
    }
    isOver = true
    await Promise.all(floods)
    expect(Math.max(...overtaking)).toBeLessThan(2 * SLOTS)
  })
})

describe('Beside creates that wait for a lock of SQLite, which another process holds', () => {
  it('a list takes no longer than without them', async () => {
    const file = temporaryFile()
    const store = createPlantStore(sqliteStorage(file), (owner) => ({ owner }), { onError() {} })
    const { port } = await listening(toNodeHandler(store))
    removals.unshift(() => store.close())
    const alice = clientOf(port, 'alice', 200)
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const creates = Array.from({ length: 100 }, (_, id) => alice('POST', '/plants', plant(id)))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const begin = performance.now()
    for (let i = 0; i < 20; i++) expect(await alice('GET', '/plants')).toBe(200)
    expect(performance.now() - begin).toBeLessThan(1000)
    other.exec('COMMIT')
    other.close()
    expect(new Set(await Promise.all(creates))).toEqual(new Set([200]))
  })
})
