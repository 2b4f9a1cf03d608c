import express from 'express'
import { toExpressHandler } from '../../../adapters/express.ts'
import type { PlantStore } from '../../../src/index.ts'
import { listen as listenOn } from '../../shared/listen.ts'

/** Values that a header of a request from the network never has, and that a middleware can set. */
const HEADER_VALUES: Record<string, unknown> = {
  cyrillic: 'ключ',
  newline: 'a\nb',
  number: 7,
  object: { user: 'alice' },
  null: null,
  symbol: Symbol('user'),
}

export async function listen(store: PlantStore): Promise<number> {
  const app = express()
  // First, since each of the others would take its part of a request's time.
  app.use(toExpressHandler(store))
  for (const [name, value] of Object.entries(HEADER_VALUES)) {
    app.use(`/header-${name}`, (request, _response, next) => {
      request.headers['x-name'] = value as string
      next()
    })
    app.use(`/header-${name}`, toExpressHandler(store))
  }
  // A mistake that is easy to make, and that the types let pass.
  app.use('/fetch-as-handler', store.fetch as any)
  return (await listenOn(app)).port
}
