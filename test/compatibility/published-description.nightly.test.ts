// Documentation sites carry a description of a Plant Store of this shape. The document beside this file has
// the shape, and texts of our own. A client that was generated from such a description works with the store.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { errors } from '../../src/errors.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const generators = resolve(import.meta.dirname, '../generated-clients')
// Within the project, so that the generated code is resolved and transformed as the tests are.
const generated = join(import.meta.dirname, 'generated')

interface Result {
  data?: unknown
  error?: unknown
  response: Response
}
interface Operations {
  getPlants(options: { query?: { limit: number } }): Promise<Result>
  postPlants(options: { body: { id: number; name: string; tag?: string } }): Promise<Result>
  deletePlantsById(options: { path: { id: number } }): Promise<Result>
}

let operations: Operations
let setConfig: (config: { baseUrl: string; auth: string }) => void

beforeAll(async () => {
  const document = join(import.meta.dirname, 'published-description.json')
  execFileSync(process.execPath, ['generate.ts', document, generated], { cwd: generators })
  const load = (file: string) => import(pathToFileURL(join(generated, 'hey-api', file)).href)
  operations = await load('sdk.gen.ts')
  const { client } = await load('client.gen.ts')
  setConfig = client.setConfig
})
afterAll(() => rmSync(generated, { recursive: true, force: true }))

describe('A client generated from the published description', () => {
  beforeEach(async () => {
    const storage = memoryStorage({ alice: [{ id: 7n, name: 'Monstera', tag: 'indoor' }] })
    const store = createPlantStore(storage, staticTokens({ s3cret: 'alice' }))
    const server = await serve(store, { port: 0, signals: false })
    onTestFinished(() => server.close())
    setConfig({ baseUrl: server.url, auth: 's3cret' })
  })

  it('creates with 200, lists with 200 and deletes with 204', async () => {
    const created = await operations.postPlants({ body: { id: 8, name: 'Ficus' } })
    expect([created.response.status, created.data]).toEqual([200, { name: 'Ficus' }])

    const all = await operations.getPlants({})
    expect([all.response.status, all.data]).toEqual([
      200,
      [{ name: 'Monstera', tag: 'indoor' }, { name: 'Ficus' }],
    ])
    const one = await operations.getPlants({ query: { limit: 1 } })
    expect(one.data).toEqual([{ name: 'Monstera', tag: 'indoor' }])

    const deleted = await operations.deletePlantsById({ path: { id: 7 } })
    expect(deleted.response.status).toBe(204)
    expect((await operations.getPlants({})).data).toEqual([{ name: 'Ficus' }])
  })

  it('gets the one error shape, for the status 400 and for those that it does not know', async () => {
    const failures = [
      [await operations.postPlants({ body: { id: 7, name: 'Ficus' } }), errors.duplicate_id],
      [await operations.getPlants({ query: { limit: -1 } }), errors.invalid_limit],
      [await operations.deletePlantsById({ path: { id: 9 } }), errors.plant_not_found],
    ] as const
    for (const [{ response, error, data }, { status, error: value }] of failures) {
      expect([response.status, data]).toEqual([status, undefined])
      expect(error).toEqual({ error: value, message: expect.any(String) })
    }
  })
})
