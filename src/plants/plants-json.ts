import { kindOf } from '../lib/arguments.ts'
import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import type { Plant, StoredPlant } from '../plant.ts'
import { wrongPage } from './check-results.ts'

/** The length of `{"name":"","tag":""},`. */
const PLANT_JSON_OVERHEAD = 21

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  return { name, tag }
}

/** The plants of a list, or of one part of it, that go into one string. */
export interface PlantsPart {
  readonly plants: Plant[]
  /** The approximate length of their JSON, without the escapes. */
  characters: number
  /** The id of the last plant. */
  last: bigint | undefined
}

/** Starts a part of a list. */
export function createPart(after: bigint | undefined): PlantsPart {
  return { plants: [], characters: 0, last: after }
}

/**
 * Adds the plants of a page to a part, and checks them on the way: each plant is read once. Stops before a plant with
 * which the part would be longer than `maxCharacters`, unless it is the first one, or would have more than `maxPlants`.
 *
 * @returns whether the whole page was added
 */
export function addPage(
  part: PlantsPart,
  page: readonly StoredPlant[],
  maxCharacters: number,
  maxPlants = Number.MAX_SAFE_INTEGER,
): boolean {
  const { plants } = part
  let last = part.last ?? INT64_MIN - 1n
  // Not forEach(), which skips what a sparse array lacks.
  for (const plant of page) {
    const { id, name, tag } = Object(plant) as StoredPlant & { tag?: string | null }
    if (typeof id !== 'bigint') throw wrongPage('plants with a bigint id', kindOf(id))
    if (typeof name !== 'string') throw wrongPage('plants with a name', kindOf(name))
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      throw wrongPage('plants with a string as tag, or undefined', kindOf(tag))
    }
    if (id <= last) throw wrongPage(`ascending ids greater than ${last}`, `${id}`)
    if (id > INT64_MAX) throw wrongPage('ids that are int64', `${id}`)
    if (plants.length === maxPlants) return false
    const characters = part.characters + PLANT_JSON_OVERHEAD + name.length + (tag?.length ?? 0)
    if (characters > maxCharacters && plants.length > 0) return false
    part.characters = characters
    part.last = last = id
    plants.push({ name, tag: tag ?? undefined })
  }
  return true
}

/** A part of a JSON array that is sent in parts; of the whole array by default. */
export function toJson(plants: readonly Plant[], isFirst = true, isLast = true): string {
  // Not ',' + JSON: a concatenated string is copied once more before it is sent.
  const json = JSON.stringify(isFirst ? plants : ['', ...plants])
  return json.slice(isFirst ? 0 : '[""'.length, isLast ? undefined : -1)
}
