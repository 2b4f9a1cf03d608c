import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import type { MapStorage } from '../map-storage.ts'
import {
  BEARER,
  ContractError,
  EVERY_REPLY,
  errorBody,
  MAX_BODY_BYTES,
  nextLink,
  owners,
  statusOf,
} from './contract.ts'
import { ListQuery, NewPlant, queryFailure } from './zod-schemas.ts'

/** Express 5 with its own JSON parser, and zod for what comes in. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = express()
  app.disable('x-powered-by')
  // The contract has no ETag, so Express is spared the hashing of each body.
  app.disable('etag')

  app.use(authenticate)

  app.get('/plants', (req, res) => {
    const query = ListQuery.safeParse(req.query)
    if (!query.success) throw new ContractError(queryFailure(query.error))
    const { limit, cursor: after } = query.data
    const found = storage.list(res.locals.owner, { after, limit: limit + 1 })
    const page = found.slice(0, limit)
    if (found.length > limit && limit > 0) res.set('link', nextLink(limit, page))
    res.json(page.map(({ name, tag }) => ({ name, tag })))
  })

  app.post('/plants', express.json({ limit: MAX_BODY_BYTES }), (req, res) => {
    // Without a JSON content type, express.json leaves the body alone.
    if (!req.is('application/json')) throw new ContractError('unsupported_media_type')
    const plant = NewPlant.safeParse(req.body)
    if (!plant.success) throw new ContractError('invalid_plant')
    const { id, name, tag } = plant.data
    if (!storage.create(res.locals.owner, { id: BigInt(id), name, tag })) {
      throw new ContractError('duplicate_id')
    }
    res.json({ name, tag })
  })

  app.use(answerError)

  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

const authenticate: RequestHandler = (req, res, next) => {
  res.set(EVERY_REPLY)
  const token = BEARER.exec(req.get('authorization') ?? '')?.[1]
  if (token === undefined) throw new ContractError('missing_token')
  const owner = owners.get(token)
  if (owner === undefined) throw new ContractError('invalid_token')
  res.locals.owner = owner
  next()
}

const answerError: ErrorRequestHandler = (error, _req, res, _next) => {
  const name =
    error instanceof ContractError
      ? error.errorName
      : error.type === 'entity.parse.failed'
        ? 'malformed_json'
        : error.type === 'entity.too.large'
          ? 'body_too_large'
          : 'internal'
  if (statusOf(name) === 401) res.set('www-authenticate', 'Bearer realm="plants"')
  res.status(statusOf(name)).json(errorBody(name))
}
