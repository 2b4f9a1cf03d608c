import { createPlantClient } from 'plant-store/client'

const plants = createPlantClient({ baseUrl: 'https://garden.example/api', token: 's3cret' })

/** In place of your table. */
const rows = new Map<bigint, { name: string; room: string }>()

export async function addPlant(name: string, room: string): Promise<bigint> {
  const id = crypto.getRandomValues(new BigInt64Array(1))[0]!
  rows.set(id, { name, room }) // first, so that every plant has a row
  await plants.create({ id, name })
  return id
}

export async function removePlant(id: bigint): Promise<void> {
  await plants.delete(id)
  rows.delete(id) // last, for the same reason
}
