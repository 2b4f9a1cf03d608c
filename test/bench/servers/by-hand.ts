import type { MaybePromise } from '../../../src/lib/promises.ts'
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

/** A reply, or the function that makes it of the body. What storages answer at once costs no promise. */
type Answer = MaybePromise<Reply> | ((bytes: Uint8Array) => MaybePromise<Reply>)

export function answer(
  storage: PlantStorage,
  method: string,
  path: string,
  query: string,
  header: (name: string) => string | null | undefined,
): Answer {
  const isPlant = path.startsWith('/plants/')
  if (!isPlant && path !== '/plants') return failure(404)
  const owner = contract.ownerOf(header('authorization'))
  if (owner === undefined) return failure(401)
  if (isPlant && method === 'DELETE') return remove(storage, owner, path.slice('/plants/'.length))
  if (!isPlant && method === 'GET') return list(storage, owner, new URLSearchParams(query))
  if (isPlant || method !== 'POST') return failure(405)
  const isJson = /^application\/json[ \t]*(?:;|$)/i.test(header('content-type') ?? '')
  if (!isJson || (header('content-encoding') ?? 'identity') !== 'identity') return failure(415)
  // No more comes than is announced. A chunked body is refused.
  const isSmall = Number(header('content-length') ?? Number.NaN) <= contract.MAX_BODY_BYTES
  return isSmall ? (bytes) => create(storage, owner, bytes) : failure(413)
}

function failure(status: number): Reply {
  const headers = status === 401 ? contract.CHALLENGE : undefined
  const body = JSON.stringify({ error: status, message: `The request failed with ${status}.` })
  return { status, body, headers }
}

function list(
  storage: PlantStorage,
  owner: string,
  parameters: URLSearchParams,
): MaybePromise<Reply> {
  const limits = parameters.getAll('limit')
  const cursors = parameters.getAll('cursor')
  const cursor = cursors[0]
  // A list without limit is streamed by the plant store, so only lists with a limit are measured.
  const limit = limits.length === 0 ? contract.MAX_LIMIT : readLimit(limits)
  if (limit === undefined || cursors.length > 1) return failure(400)
  if (cursor !== undefined && !contract.CURSOR.test(cursor)) return failure(400)
  const found = storage.list(owner, { after: contract.idOf(cursor), limit: limit + 1 })
  return then(found, (found) => {
    const { page, link } = contract.toPage(found, limit)
    const body = JSON.stringify(page.map(contract.toPlant))
    return { status: 200, body, headers: link === undefined ? undefined : { link } }
  })
}

function readLimit(limits: string[]): number | undefined {
  const limit = contract.LIMIT.test(limits[0]!) ? Number(limits[0]) : Number.NaN
  return limits.length === 1 && limit <= contract.MAX_LIMIT ? limit : undefined
}

function create(storage: PlantStorage, owner: string, bytes: Uint8Array): MaybePromise<Reply> {
  const plant = parseNewPlant(bytes)
  if (!plant) return failure(400)
  return then(storage.create(owner, plant), (isCreated) => {
    if (!isCreated) return failure(400)
    return { status: 200, body: JSON.stringify(contract.toPlant(plant)), headers: undefined }
  })
}

function remove(storage: PlantStorage, owner: string, text: string): MaybePromise<Reply> {
  const id = contract.ID.test(text) ? BigInt(text) : undefined
  if (id === undefined || BigInt.asIntN(64, id) !== id) return failure(400)
  return then(storage.delete(owner, id), (isDeleted) =>
    isDeleted ? { status: 204, body: null, headers: undefined } : failure(404),
  )
}

function then<T>(value: MaybePromise<T>, toReply: (value: T) => Reply): MaybePromise<Reply> {
  return value instanceof Promise ? value.then(toReply) : toReply(value as T)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a NewPlant and checks it. */
function parseNewPlant(bytes: Uint8Array): StoredPlant | undefined {
  let plant: any
  try {
    plant = JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
  // A member of something else than an object is undefined.
  const { id, name, tag } = plant ?? {}
  // Larger ids are not exact in a double, and never so in what is measured.
  if (!Number.isSafeInteger(id) || !isText(name)) return undefined
  return tag === undefined || isText(tag) ? { id: BigInt(id), name, tag } : undefined
}

const storable = new RegExp(contract.STORABLE_TEXT, 'u')

function isText(value: unknown): value is string {
  return typeof value === 'string' && storable.test(value)
}
