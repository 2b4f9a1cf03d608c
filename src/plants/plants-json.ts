import type { Plant, StoredPlant } from '../plant.ts'
import type { Reply } from '../reply.ts'

/** About how many characters of JSON are made at a time. */
const PART_LENGTH = 64 * 1024
/** The length of `{"name":"","tag":""},`. */
const AROUND = 21

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  // null is what SQL keeps for a plant without tag.
  return { name, tag: tag ?? undefined }
}

/** The JSON of some pages: at once, unless there is so much that it had better be sent in parts. */
export function toBody(pages: (readonly StoredPlant[])[]): Reply['body'] {
  const [page, ...more] = pages
  if (page && more.length === 0 && lengthOf(page) <= PART_LENGTH) return toJson(page)
  return toParts(pages)
}

type Pages = Iterable<readonly StoredPlant[]> | AsyncIterable<readonly StoredPlant[]>

/** One JSON array of the plants of all pages. */
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

/** Splits a page so that the JSON of each part is about PART_LENGTH at most. */
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

/** About how long the JSON of the plants is: their text, and what stands around it. */
export function lengthOf(plants: readonly StoredPlant[]): number {
  let length = plants.length * AROUND
  for (const { name, tag } of plants) length += name.length + (tag?.length ?? 0)
  return length
}

function toJson(plants: readonly StoredPlant[]): string {
  return JSON.stringify(plants.map(toPlant))
}
