import type { PlantStorage, StoredPlant } from 'plant-store'

export function myStorage(): PlantStorage {
  const plants = new Map<string, StoredPlant & { owner: string }>()
  return {
    create(owner, plant) {
      const key = `${plant.id} ${owner}`
      if (plants.has(key)) return false
      plants.set(key, { ...plant, owner })
      return true
    },
    list: (owner, { after, limit }) =>
      [...plants.values()]
        .filter((plant) => plant.owner === owner && (after === undefined || plant.id > after))
        .map(({ id, name, tag }) => ({ id, name, tag }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    delete: (owner, id) => plants.delete(`${id} ${owner}`),
  }
}
