import express, { type ErrorRequestHandler } from 'express'
import { listen as listenOn } from '../../shared/listen.ts'
import type { MapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'
import { ListQuery, NewPlant, PlantPath, queryFailure } from './zod-schemas.ts'

/** Express 5 with its own JSON parser, and zod for what comes in. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = express()
  app.disable('x-powered-by')
  // The contract has no ETag, so Express is spared the hashing of each body.
  app.disable('etag')

  app.use((req, res, next) => {
    res.set(contract.EVERY_REPLY)
    res.locals.owner = contract.authenticate(req.get('authorization'))
    next()
  })

  app.get('/plants', (req, res) => {
    const query = ListQuery.safeParse(req.query)
    if (!query.success) throw new contract.Failure(queryFailure(query.error))
    const { limit, cursor: after } = query.data
    const found = storage.list(res.locals.owner, { after, limit: limit + 1 })
    const { page, link } = contract.toPage(found, limit)
    if (link) res.set('link', link)
    res.json(page.map(contract.toPlant))
  })

  app.post('/plants', express.json({ limit: contract.MAX_BODY_BYTES }), (req, res) => {
    // Without a JSON content type, express.json leaves the body alone.
    if (!req.is('application/json')) throw new contract.Failure('unsupported_media_type')
    const plant = NewPlant.safeParse(req.body)
    if (!plant.success) throw new contract.Failure('invalid_plant')
    const { id, name, tag } = plant.data
    if (!storage.create(res.locals.owner, { id: BigInt(id), name, tag })) {
      throw new contract.Failure('duplicate_id')
    }
    res.json({ name, tag })
  })

  app.delete('/plants/:id', (req, res) => {
    const path = PlantPath.safeParse(req.params)
    if (!path.success) throw new contract.Failure('invalid_id')
    if (!storage.delete(res.locals.owner, path.data.id))
      throw new contract.Failure('plant_not_found')
    res.status(204).end()
  })

  app.use(answerError)
  return (await listenOn(app)).port
}

/** The plant store in Express. */
export async function mount(storage: MapStorage): Promise<number> {
  const { toExpressHandler } = await importBuilt('adapters/express.ts')
  const app = express()
  app.use(toExpressHandler(await createStore(storage)))
  return (await listenOn(app)).port
}

const answerError: ErrorRequestHandler = (error, _req, res, _next) => {
  const name =
    error instanceof contract.Failure
      ? error.errorName
      : error.type === 'entity.parse.failed'
        ? 'malformed_json'
        : error.type === 'entity.too.large'
          ? 'body_too_large'
          : 'internal'
  if (contract.statusOf(name) === 401) res.set(contract.CHALLENGE)
  res.status(contract.statusOf(name)).json(contract.errorBody(name))
}
