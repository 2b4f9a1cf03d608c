import { describe, expect, it } from 'vitest'
import { createPlantStore, type PlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'

describe('an owner', () => {
  const storage = memoryStorage()
  let owner = ''
  const store = createPlantStore(storage, () => ({ owner }))

  async function ask(as: string, method: string, path: string, body?: string) {
    owner = as
    return send(store, method, path, body)
  }

  it("another's plant is, to every operation, no plant at all", async () => {
    await ask('victim', 'POST', '/plants', '{"id":42,"name":"secret orchid","tag":"rare"}')

    const theirs = await ask('mallory', 'DELETE', '/plants/42')
    expect(theirs).toEqual(await ask('mallory', 'DELETE', '/plants/43'))
    expect(theirs.status).toBe(404)

    expect((await ask('mallory', 'GET', '/plants')).body).toBe('[]')
    for (const cursor of ['0000000000000000', '8000000000000000', '0000000000000029']) {
      expect((await ask('mallory', 'GET', `/plants?cursor=${cursor}&limit=10`)).body).toBe('[]')
    }

    const created = await ask('mallory', 'POST', '/plants', '{"id":42,"name":"weed"}')
    expect(created).toEqual({
      ...(await ask('mallory', 'POST', '/plants', '{"id":43,"name":"weed"}')),
    })
    expect(created.status).toBe(200)
    const again = await ask('mallory', 'POST', '/plants', '{"id":42,"name":"weed"}')
    expect(JSON.parse(again.body).error).toBe(40003)
    expect(again.body).not.toMatch(/orchid|victim|mallory/)

    expect((await ask('mallory', 'DELETE', '/plants/42')).status).toBe(204)
    const { body } = await ask('victim', 'GET', '/plants')
    expect(body).toBe('[{"name":"secret orchid","tag":"rare"}]')
  })

  it('no owner can be given by the request', async () => {
    await ask('victim2', 'POST', '/plants', '{"id":1,"name":"secret fern"}')
    for (const path of [
      '/plants?owner=victim2',
      '/plants?sub=victim2&limit=5',
      '/plants#victim2',
    ]) {
      expect((await ask('mallory2', 'GET', path)).body).toBe('[]')
    }
    const body = '{"id":1,"name":"weed","owner":"victim2","__proto__":{"owner":"victim2"}}'
    await ask('mallory2', 'POST', '/plants', body)
    expect((await ask('mallory2', 'GET', '/plants')).body).toBe('[{"name":"weed"}]')
    expect((await ask('victim2', 'GET', '/plants')).body).toBe('[{"name":"secret fern"}]')
  })
})

async function send(store: PlantStore, method: string, path: string, body?: string, token = 't') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = new Request(`http://localhost${path}`, { method, headers, body })
  const response = checkAgainstDocument(request, await store.fetch(request))
  return {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  }
}
