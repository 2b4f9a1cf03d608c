import express from 'express'
import { listen as listenOn } from '../../shared/listen.ts'
import { answer } from './bare.ts'

export async function listen(): Promise<number> {
  const app = express()
  app.use(answer)
  return (await listenOn(app)).port
}
