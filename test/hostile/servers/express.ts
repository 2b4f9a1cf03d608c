import express from 'express'
import { toExpressHandler } from '../../../adapters/express.ts'
import type { PlantStore } from '../../../src/index.ts'
import { listen as listenOn } from '../../shared/listen.ts'

export async function listen(store: PlantStore): Promise<number> {
  const app = express()
  app.use(toExpressHandler(store))
  return (await listenOn(app)).port
}
