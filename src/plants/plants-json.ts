import type { Plant, StoredPlant } from '../plant.ts'
import type { Reply } from '../reply.ts'

/** The approximate length of a part of a streamed list, in characters. */
const PART_LENGTH = 64 * 1024
/** The length of `{"name":"","tag":""},`. */
const PLANT_JSON_OVERHEAD = 21

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  // SQL keeps null for a plant without a tag.
  return { name, tag: tag ?? undefined }
}

/** The JSON of some pages: one string, or parts if it is long. */
export function toBody(pages: (readonly StoredPlant[])[]): Reply['body'] {
  const [page] = pages
  if (page && pages.length === 1 && lengthOf(page) <= PART_LENGTH) return toJson(page)
  return toParts(pages)
}

type Pages = Iterable<readonly StoredPlant[]> | AsyncIterable<readonly StoredPlant[]>

/** Streams the plants of all pages as one JSON array. */
export async function* toParts(pages: Pages): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    for (const part of partsOf(page)) {
      yield separator + toJson(part).slice(1, -1)
      separator = ','
    }
  }
  yield separator === '[' ? '[]' : ']'
}

/** Splits a page into parts of about PART_LENGTH characters of JSON. */
function* partsOf(page: readonly StoredPlant[]): Generator<readonly StoredPlant[]> {
  let start = 0
  let length = 0
  for (const [index, plant] of page.entries()) {
    length += lengthOf([plant])
    if (length < PART_LENGTH) continue
    yield page.slice(start, index + 1)
    start = index + 1
    length = 0
  }
  if (start < page.length) yield page.slice(start)
}

/** The approximate length of the plants' JSON, without the escapes. */
export function lengthOf(plants: readonly StoredPlant[]): number {
  let length = plants.length * PLANT_JSON_OVERHEAD
  for (const { name, tag } of plants) length += name.length + (tag?.length ?? 0)
  return length
}

function toJson(plants: readonly StoredPlant[]): string {
  return JSON.stringify(plants.map(toPlant))
}
