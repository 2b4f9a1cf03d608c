import type { MaybePromise } from '../../../src/lib/maybe-promise.ts'
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

export class Failure extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The request failed with ${status}.`)
    this.status = status
  }
}

export function failure(error: unknown): Reply {
  const { status = 500, message } = error as Partial<Failure>
  const headers = status === 401 ? contract.CHALLENGE : undefined
  return { status, body: JSON.stringify({ error: status, message }), headers }
}

export function authenticate(authorization: string | null | undefined): string {
  const owner = contract.ownerOf(authorization)
  if (owner === undefined) throw new Failure(401)
  return owner
}

export function list(
  storage: PlantStorage,
  owner: string,
  parameters: URLSearchParams,
): MaybePromise<Reply> {
  const limits = parameters.getAll('limit')
  const cursors = parameters.getAll('cursor')
  const cursor = cursors[0]
  // A list without limit is streamed by the plant store, so only lists with a limit are measured.
  const limit = limits.length === 0 ? contract.MAX_LIMIT : readLimit(limits)
  if (cursors.length > 1 || (cursor !== undefined && !contract.CURSOR.test(cursor))) {
    throw new Failure(400)
  }
  const found = storage.list(owner, { after: contract.idOf(cursor), limit: limit + 1 })
  return then(found, (found) => {
    const { page, link } = contract.toPage(found, limit)
    const body = JSON.stringify(page.map(contract.toPlant))
    return { status: 200, body, headers: link === undefined ? undefined : { link } }
  })
}

function readLimit(limits: string[]): number {
  const limit = contract.LIMIT.test(limits[0]!) ? Number(limits[0]) : Number.NaN
  if (limits.length === 1 && limit <= contract.MAX_LIMIT) return limit
  throw new Failure(400)
}

/** @param bytes null if the body is too large */
export function create(
  storage: PlantStorage,
  owner: string,
  bytes: Uint8Array | null,
): MaybePromise<Reply> {
  if (bytes === null) throw new Failure(413)
  const plant = parseNewPlant(bytes)
  return then(storage.create(owner, plant), (isCreated) => {
    if (!isCreated) throw new Failure(400)
    return { status: 200, body: JSON.stringify(contract.toPlant(plant)), headers: undefined }
  })
}

export function remove(storage: PlantStorage, owner: string, text: string): MaybePromise<Reply> {
  const id = contract.ID.test(text) ? BigInt(text) : undefined
  if (!isInt64(id)) throw new Failure(400)
  return then(storage.delete(owner, id), (isDeleted) => {
    if (!isDeleted) throw new Failure(404)
    return { status: 204, body: null, headers: undefined }
  })
}

/** Storages that answer at once cost no promise. */
function then<T>(value: MaybePromise<T>, toReply: (value: T) => Reply): MaybePromise<Reply> {
  return value instanceof Promise ? value.then(toReply) : toReply(value as T)
}

/** Refuses a body that is not JSON as it was sent. */
export function assertJson(type: string | null | undefined, encoding: string | null | undefined) {
  const isJson = /^application\/json[ \t]*(?:;|$)/i.test(type ?? '')
  if (!isJson || (encoding ?? 'identity') !== 'identity') throw new Failure(415)
}

const FRACTION_OR_EXPONENT = /\d[.eE]/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a NewPlant and checks it; its id is exact. */
function parseNewPlant(bytes: Uint8Array): StoredPlant {
  let plant: any
  try {
    plant = parseJson(utf8.decode(bytes))
  } catch {
    throw new Failure(400)
  }
  // A member of something else than an object is undefined.
  const { id, name, tag } = plant ?? {}
  if (!isInt64(id) || !isText(name)) throw new Failure(400)
  if (tag !== undefined && !isText(tag)) throw new Failure(400)
  return { id, name, tag }
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

function isText(value: unknown): value is string {
  return typeof value === 'string' && storable.test(value)
}

function isInt64(id: unknown): id is bigint {
  return typeof id === 'bigint' && BigInt.asIntN(64, id) === id
}
