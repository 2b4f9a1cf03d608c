import Koa from 'koa'
import { toNodeHandler } from '../../../adapters/node.ts'
import { store } from './store.ts'

export const app = new Koa()
const plants = toNodeHandler(store)
app.use((ctx, next) => {
  if (!ctx.path.startsWith('/api/')) return next()
  ctx.respond = false
  return plants(ctx.req, ctx.res)
})
