import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { ErrorName } from '../../../src/errors.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import { postgresStatements, toStoredPlant } from '../../../src/storage/postgres/statements.ts'
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

const INT64_MIN = -(2n ** 63n)
const sql = postgresStatements('plants')

/** The floor over PostgreSQL: node:http and pg, with the plant store's SQL and nothing between them. */
export async function listen(connectionString: string): Promise<number> {
  const pool = new pg.Pool({ connectionString, max: 10 })

  const server = createServer(async (request, response) => {
    const [path, query] = request.url!.split('?')
    if (path !== '/plants') return fail(response, 'route_not_found')
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) return fail(response, 'missing_token', CHALLENGE)
    const owner = owners.get(token)
    if (owner === undefined) return fail(response, 'invalid_token', CHALLENGE)

    try {
      if (request.method === 'GET') await list(response, owner, new URLSearchParams(query))
      else if (request.method === 'POST') await create(request, response, owner)
      else fail(response, 'method_not_allowed')
    } catch {
      fail(response, 'storage_unavailable')
    }
  })

  async function list(response: ServerResponse, owner: string, parameters: URLSearchParams) {
    const text = parameters.get('limit') ?? `${MAX_LIMIT}`
    const limit = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN
    if (!(limit <= MAX_LIMIT)) return fail(response, 'invalid_limit')
    const cursor = parameters.get('cursor') ?? undefined
    if (cursor !== undefined && !CURSOR.test(cursor)) return fail(response, 'invalid_cursor')
    const after = idOf(cursor)
    const values = [owner, `${after === undefined ? INT64_MIN : after + 1n}`, limit + 1]
    const { rows } = await pool.query({ ...sql.list, values })
    const found: StoredPlant[] = rows.map(toStoredPlant)
    const page = found.slice(0, limit)
    const body = JSON.stringify(page.map(({ name, tag }) => ({ name, tag })))
    const more = found.length > limit && limit > 0
    send(response, 200, body, more ? { link: nextLink(limit, page) } : undefined)
  }

  async function create(request: IncomingMessage, response: ServerResponse, owner: string) {
    if (!/^application\/json[ \t]*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
      return fail(response, 'unsupported_media_type')
    }
    const bytes = await read(request)
    if (bytes === null) return fail(response, 'body_too_large')
    let value: unknown
    try {
      value = parseNewPlantJson(bytes)
    } catch {
      return fail(response, 'malformed_json')
    }
    const problem = problemOf(value)
    if (problem) return fail(response, 'invalid_plant', undefined, problem)
    const { id, name, tag } = value as StoredPlant
    const { rows } = await pool.query({
      ...sql.create,
      values: [owner, `${id}`, name, tag ?? null],
    })
    if (rows.length === 0) return fail(response, 'duplicate_id')
    send(response, 200, JSON.stringify({ name, tag }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="plants"' }

function read(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) resolve(null)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', reject)
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
