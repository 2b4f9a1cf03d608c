import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { store } from './store.js'

const app = new Hono()
app.all('/api/*', (c) => store.fetch(c.req.raw))

export const handler = handle(app)
