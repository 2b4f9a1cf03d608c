import type { MaybePromise } from '../../../src/maybe-promise.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import * as contract from './contract.ts'

/** Shared by the hand-written servers of all runtimes: the work between the request and its reply. */
export interface Reply {
  status: number
  /** JSON. */
  body: string | null
  headers: Record<string, string> | undefined
}

// Storages that answer at once cost no promise and no closure.

export function list(
  storage: PlantStorage,
  owner: string,
  parameters: URLSearchParams,
): MaybePromise<Reply> {
  const limits = parameters.getAll('limit')
  // A list without limit is streamed by the plant store, so only lists with a limit are measured.
  const limit = limits.length === 0 ? contract.MAX_LIMIT : readLimit(limits)
  const cursors = parameters.getAll('cursor')
  const cursor = cursors[0]
  if (cursors.length > 1 || (cursor !== undefined && !contract.CURSOR.test(cursor))) {
    throw new contract.Failure('invalid_cursor')
  }
  const found = storage.list(owner, { after: contract.idOf(cursor)!, limit: limit + 1 })
  return found instanceof Promise
    ? found.then((found) => listed(found, limit))
    : listed(found as StoredPlant[], limit)
}

function readLimit(limits: string[]): number {
  const limit = contract.LIMIT.test(limits[0]!) ? Number(limits[0]) : Number.NaN
  if (limits.length === 1 && limit <= contract.MAX_LIMIT) return limit
  throw new contract.Failure('invalid_limit')
}

function listed(found: readonly StoredPlant[], limit: number): Reply {
  const { page, link } = contract.toPage(found, limit)
  const body = JSON.stringify(page.map(contract.toPlant))
  return { status: 200, body, headers: link === undefined ? undefined : { link } }
}

export function create(
  storage: PlantStorage,
  owner: string,
  bytes: Uint8Array | null,
): MaybePromise<Reply> {
  if (bytes === null) throw new contract.Failure('body_too_large')
  const plant = parseNewPlant(bytes)
  const isCreated = storage.create(owner, plant)
  return isCreated instanceof Promise
    ? isCreated.then((isCreated) => created(isCreated, plant))
    : created(isCreated, plant)
}

function created(isCreated: boolean, plant: StoredPlant): Reply {
  if (!isCreated) throw new contract.Failure('duplicate_id')
  return { status: 200, body: JSON.stringify(contract.toPlant(plant)), headers: undefined }
}

export function remove(storage: PlantStorage, owner: string, id: string): MaybePromise<Reply> {
  const exact = contract.ID.test(id) ? BigInt(id) : undefined
  if (exact === undefined || !isInt64(exact)) throw new contract.Failure('invalid_id')
  const isDeleted = storage.delete(owner, exact)
  return isDeleted instanceof Promise ? isDeleted.then(deleted) : deleted(isDeleted)
}

function deleted(isDeleted: boolean): Reply {
  if (!isDeleted) throw new contract.Failure('plant_not_found')
  return { status: 204, body: null, headers: undefined }
}

/** Refuses a body that is not JSON as it was sent. */
export function assertJson(type: string | null | undefined, encoding: string | null | undefined) {
  if (
    !/^application\/json[ \t]*(?:;|$)/i.test(type ?? '') ||
    (encoding != null && encoding !== 'identity')
  ) {
    throw new contract.Failure('unsupported_media_type')
  }
}

export function failure(error: unknown): Reply {
  const name = error instanceof contract.Failure ? error.errorName : 'internal'
  return {
    status: contract.statusOf(name),
    body: JSON.stringify(contract.errorBody(name, (error as Error).message)),
    headers: contract.statusOf(name) === 401 ? contract.CHALLENGE : undefined,
  }
}

const FRACTION_OR_EXPONENT = /\d[.eE]/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a NewPlant and checks it; its id is exact. */
function parseNewPlant(bytes: Uint8Array): StoredPlant {
  let value: unknown
  try {
    value = parseJson(utf8.decode(bytes))
  } catch {
    throw new contract.Failure('malformed_json')
  }
  const problem = problemOf(value)
  if (problem) throw new contract.Failure('invalid_plant', problem)
  const { id, name, tag } = value as StoredPlant
  return { id, name, tag: tag! }
}

function parseJson(text: string): unknown {
  const value = JSON.parse(text)
  if (typeof value?.id !== 'number') return value
  if (!Number.isSafeInteger(value.id) || FRACTION_OR_EXPONENT.test(text)) {
    // Never so in what is measured: a literal in plain digits is read exactly, any other refused.
    const literal = /"id"\s*:\s*(-?\d{1,19})\s*[,}]/.exec(text)?.[1]
    return { ...value, id: literal === undefined ? value.id : BigInt(literal) }
  }
  value.id = BigInt(value.id)
  return value
}

const storable = new RegExp(contract.STORABLE_TEXT, 'u')

/** Returns what is wrong with a NewPlant whose id is a bigint, or undefined. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The body must be a JSON object.'
  }
  const { id, name, tag } = value as Record<string, unknown>
  if (typeof id !== 'bigint' || !isInt64(id)) return 'id must be an int64.'
  if (typeof name !== 'string') return 'name must be a string.'
  if (!storable.test(name)) return 'name must not contain U+0000 or a lone surrogate.'
  if (tag === undefined) return undefined
  if (typeof tag !== 'string') return 'tag must be a string.'
  return storable.test(tag) ? undefined : 'tag must not contain U+0000 or a lone surrogate.'
}

function isInt64(id: bigint): boolean {
  return BigInt.asIntN(64, id) === id
}
