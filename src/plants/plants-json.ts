import type { Plant, StoredPlant } from '../plant.ts'

/** The length of `{"name":"","tag":""},`. */
const PLANT_JSON_OVERHEAD = 21

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  return { name, tag }
}

/** The JSON array of some plants. */
export function toJson(plants: readonly StoredPlant[]): string {
  return JSON.stringify(plants.map(toPlant))
}

/** The approximate length of a plant's JSON, without the escapes. */
export function lengthOf({ name, tag }: StoredPlant): number {
  return PLANT_JSON_OVERHEAD + name.length + (tag?.length ?? 0)
}
