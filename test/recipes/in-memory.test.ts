import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'

const pages = {
  document: guideFiles('docs/recipes/openapi-document.md'),
  ids: guideFiles('docs/recipes/idempotency-keys.md'),
}

it('The document of an app with the store in it is valid, and has the paths and schemas of both', async () => {
  const { withPlants } = await pages.document('with-plants.mts')
  const document = withPlants({
    // test/src/openapi.test.ts validates the store's parts as 3.1 too.
    openapi: '3.0.3',
    info: { title: 'Garden', version: '1.0.0' },
    paths: { '/health': { get: { responses: { 204: { description: 'It runs' } } } } },
    components: { schemas: { Error: { type: 'string' } } },
  })
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  expect(Object.keys(document.paths)).toEqual(['/health', '/api/plants', '/api/plants/{id}'])
  expect(document.components.schemas).toMatchObject({
    Error: { type: 'string' },
    PlantStoreError: { type: 'object' },
  })
})

it('A create with a random id creates one plant, also when its reply is lost', async () => {
  const { createOnce } = await pages.ids('create-once.mts')
  const { createPlantClient } = await pages.ids('node_modules/plant-store/dist/src/client.js')
  const storage = memoryStorage()
  const store = createPlantStore(storage, () => ({ owner: 'alice' }))
  let lost = 2
  const fetch = async (request: Request) => {
    const response = await store.fetch(request)
    if (lost-- > 0) throw new Error('ECONNRESET')
    return response
  }
  const plants = createPlantClient({ baseUrl: 'http://localhost', token: 'any', fetch })
  const id = await createOnce(plants, { name: 'Fern' })
  expect(storage.list('alice', { limit: 10 })).toEqual([{ id, name: 'Fern' }])
  expect(await createOnce(plants, { name: 'Fern' })).not.toBe(id)
})
