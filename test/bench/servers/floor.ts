import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ErrorName } from '../../../src/errors.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import type { MapStorage } from '../map-storage.ts'
import { parseNewPlantJson, problemOf } from './by-hand.ts'
import {
  BEARER,
  CURSOR,
  EVERY_REPLY,
  errorBody,
  idOf,
  MAX_BODY_BYTES,
  MAX_LIMIT,
  nextLink,
  owners,
  statusOf,
} from './contract.ts'

/** The floor: the same work as the plant store's, by hand on node:http, with no library. */
export async function listen(storage: MapStorage): Promise<number> {
  const server = createServer((request, response) => {
    const url = request.url!
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    if (path !== '/plants') return fail(response, 'route_not_found')

    const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      return fail(response, 'missing_token', { 'www-authenticate': 'Bearer realm="plants"' })
    }
    const owner = owners.get(token)
    if (owner === undefined) {
      return fail(response, 'invalid_token', {
        'www-authenticate': 'Bearer realm="plants", error="invalid_token"',
      })
    }

    if (request.method === 'GET') {
      return list(response, storage, owner, mark === -1 ? '' : url.slice(mark + 1))
    }
    if (request.method === 'POST') return create(request, response, storage, owner)
    fail(response, 'method_not_allowed')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function list(response: ServerResponse, storage: MapStorage, owner: string, query: string) {
  const parameters = new URLSearchParams(query)
  const limits = parameters.getAll('limit')
  const limit = limits[0] === undefined ? undefined : readLimit(limits)
  if (Number.isNaN(limit)) return fail(response, 'invalid_limit')
  const cursors = parameters.getAll('cursor')
  if (cursors.length > 1 || (cursors[0] !== undefined && !CURSOR.test(cursors[0]))) {
    return fail(response, 'invalid_cursor')
  }

  // A list without limit is streamed by the plant store; what is compared is the list with one.
  const wanted = limit ?? MAX_LIMIT
  const found =
    wanted === 0 ? [] : storage.list(owner, { after: idOf(cursors[0]), limit: wanted + 1 })
  const page = found.length > wanted ? found.slice(0, wanted) : found
  const body = JSON.stringify(page.map(({ name, tag }) => ({ name, tag })))
  send(response, 200, body, found.length > wanted ? { link: nextLink(wanted, page) } : undefined)
}

function readLimit([text, ...more]: string[]): number {
  if (more.length > 0 || !/^(?:0|[1-9]\d{0,9})$/.test(text!)) return Number.NaN
  const limit = Number(text)
  return limit > MAX_LIMIT ? Number.NaN : limit
}

function create(
  request: IncomingMessage,
  response: ServerResponse,
  storage: MapStorage,
  owner: string,
) {
  const type = request.headers['content-type']
  const encoding = request.headers['content-encoding']
  if (
    type === undefined ||
    !/^application\/json[ \t]*(?:;|$)/i.test(type) ||
    (encoding !== undefined && encoding !== 'identity')
  ) {
    return fail(response, 'unsupported_media_type')
  }
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) {
    return fail(response, 'body_too_large')
  }

  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BODY_BYTES) {
      request.pause().removeAllListeners('data').removeAllListeners('end')
      return fail(response, 'body_too_large', { connection: 'close' })
    }
    chunks.push(chunk)
  })
  request.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
    let value: unknown
    try {
      value = parseNewPlantJson(bytes)
    } catch {
      return fail(response, 'malformed_json')
    }
    const problem = problemOf(value)
    if (problem) return fail(response, 'invalid_plant', undefined, problem)

    const { id, name, tag } = value as StoredPlant
    if (!storage.create(owner, { id, name, tag })) return fail(response, 'duplicate_id')
    send(response, 200, JSON.stringify({ name, tag }))
  })
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  more?: Record<string, string>,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...more,
    ...EVERY_REPLY,
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function fail(
  response: ServerResponse,
  name: ErrorName,
  headers?: Record<string, string>,
  message?: string,
): void {
  send(response, statusOf(name), JSON.stringify(errorBody(name, message)), headers)
}
