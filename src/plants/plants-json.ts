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

/** The next part of a JSON array that is sent in parts; the last one is `]`. */
export function toJsonPart(plants: readonly StoredPlant[], isFirst: boolean): string {
  // Not separator + toJson(plants): a concatenated string is copied once more before it is sent.
  return isFirst
    ? toJson(plants).slice(0, -1)
    : JSON.stringify(['', ...plants.map(toPlant)]).slice('[""'.length, -1)
}

/** The approximate length of a plant's JSON, without the escapes. */
export function lengthOf({ name, tag }: StoredPlant): number {
  return PLANT_JSON_OVERHEAD + name.length + (tag?.length ?? 0)
}
