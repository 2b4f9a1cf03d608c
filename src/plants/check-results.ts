import { kindOf } from '../lib/arguments.ts'
import type { MaybePromise } from '../lib/promises.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'

type Page = readonly StoredPlant[]

/**
 * Wraps a storage so that a result of the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that
 * returns `undefined`. The plants of a page are checked where they are written, in `plants-json.ts`.
 */
export function checkResults(storage: PlantStorage): PlantStorage {
  return {
    create: (owner, plant, call) => checkBoolean('create', storage.create(owner, plant, call)),
    list: (owner, query, call) => checkPage(query, storage.list(owner, query, call)),
    delete: (owner, id, call) => checkBoolean('delete', storage.delete(owner, id, call)),
  }
}

function checkBoolean(method: string, result: MaybePromise<boolean>): MaybePromise<boolean> {
  if (result instanceof Promise) return result.then((value) => checkBoolean(method, value))
  if (typeof result === 'boolean') return result
  throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
}

function checkPage({ limit }: PageQuery, page: MaybePromise<Page>): MaybePromise<Page> {
  if (page instanceof Promise) return page.then((value) => checkPage({ limit }, value))
  if (!Array.isArray(page)) throw wrongPage('an array', kindOf(page))
  if (page.length > limit) throw wrongPage(`at most ${limit} plants`, page.length)
  return page
}

/** Creates the error for a page of the wrong shape. */
export function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
