import assert from 'node:assert/strict'
import { createPlantClient, PlantStoreError } from '../../../src/client.ts'
import { type Api, TOKEN } from './api.ts'

/** Drives the app by `plant-store/client`. */
export async function driveByClient({ url }: Api): Promise<void> {
  const plants = createPlantClient({ baseUrl: url, token: TOKEN })
  const ids = [-(2n ** 63n), 0n, 2n ** 63n - 1n]
  for (const id of ids) await plants.create({ id, name: `plant ${id}`, tag: 'indoor' })
  await assert.rejects(plants.create({ id: 0n, name: 'again' }), isCode('duplicate_id'))

  const names: string[] = []
  for await (const { name } of plants.list({ limit: 1 })) names.push(name)
  assert.deepEqual(
    names,
    ids.map((id) => `plant ${id}`),
  )

  for (const id of ids) await plants.delete(id)
  await assert.rejects(plants.delete(0n), isCode('plant_not_found'))
  const stranger = createPlantClient({ baseUrl: url, token: 'wr0ng' })
  await assert.rejects(stranger.listPage(), isCode('invalid_token'))
}

function isCode(code: string) {
  return (error: unknown) => error instanceof PlantStoreError && error.code === code
}
