import express, { type ErrorRequestHandler } from 'express'
import { toExpressHandler } from '../../../adapters/express.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import * as contract from './contract.ts'

/** Express 5 with its own JSON parser, and zod for what comes in. */
export async function listen(storage: MemoryStorage): Promise<number> {
  const app = express()
  app.disable('x-powered-by')
  // The contract has no ETag, so Express is spared the hashing of each body.
  app.disable('etag')

  app.use((req, res, next) => {
    res.set(contract.EVERY_REPLY)
    res.locals.owner = contract.ownerOf(req.get('authorization'))
    if (res.locals.owner) next()
    else res.set(contract.CHALLENGE).sendStatus(401)
  })

  app.get('/plants', (req, res) => {
    const query = contract.ListQuery.safeParse(req.query)
    if (!query.success) return res.sendStatus(400)
    const { limit } = query.data
    const { page, link } = contract.readPage(storage, res.locals.owner, limit)
    if (link) res.set('link', link)
    return res.json(page.map(contract.toPlant))
  })

  app.post('/plants', express.json({ limit: contract.MAX_BODY_BYTES }), (req, res) => {
    // Without a JSON content type, express.json leaves the body alone.
    if (!req.is('application/json')) return res.sendStatus(415)
    const plant = contract.NewPlant.safeParse(req.body)
    if (!plant.success) return res.sendStatus(400)
    const { id, name, tag } = plant.data
    const isCreated = storage.create(res.locals.owner, { id: BigInt(id), name, tag })
    return isCreated ? res.json({ name, tag }) : res.sendStatus(400)
  })

  app.delete('/plants/:id', (req, res) => {
    const path = contract.PlantPath.safeParse(req.params)
    if (!path.success) return res.sendStatus(400)
    const isDeleted = storage.delete(res.locals.owner, path.data.id)
    return isDeleted ? res.status(204).end() : res.sendStatus(404)
  })

  app.use(((error, _req, res, _next) => {
    res.sendStatus(error.status ?? 500)
  }) satisfies ErrorRequestHandler)
  return (await listenOn(app)).port
}

/** The plant store in Express. */
export async function mount(store: PlantStore): Promise<number> {
  const app = express()
  app.use(toExpressHandler(store))
  return (await listenOn(app)).port
}
