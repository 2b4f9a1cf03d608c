import { kindOf } from '../lib/kind-of.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'

/**
 * Wraps a storage so that a result of the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that
 * returns `undefined`. The plants of a page are checked where they are written, in `plants-json.ts`.
 */
export function checkResults(storage: PlantStorage): PlantStorage {
  return {
    create: (owner, plant, call) => check(storage.create(owner, plant, call), checkCreated),
    list: (owner, query, call) =>
      check(storage.list(owner, query, call), (page) => checkPage(page, query)),
    delete: (owner, id, call) => check(storage.delete(owner, id, call), checkDeleted),
    close: () => storage.close?.(),
  }
}

function check<T>(result: MaybePromise<T>, checkValue: (value: T) => T): MaybePromise<T> {
  return result instanceof Promise ? result.then(checkValue) : checkValue(result as T)
}

const checkCreated = (result: boolean) => checkBoolean('create', result)
const checkDeleted = (result: boolean) => checkBoolean('delete', result)

function checkBoolean(method: string, result: boolean): boolean {
  if (typeof result === 'boolean') return result
  throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
}

function checkPage(page: readonly StoredPlant[], { limit }: PageQuery): readonly StoredPlant[] {
  if (!Array.isArray(page)) throw wrongPage('an array', kindOf(page))
  if (page.length > limit) throw wrongPage(`at most ${limit} plants`, page.length)
  return page
}

/** Creates the error for a page of the wrong shape. */
export function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
