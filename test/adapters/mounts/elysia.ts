import { Elysia } from 'elysia'
import { store } from './store.ts'

export const app = new Elysia()
app.all('/api/*', ({ request }) => store.fetch(request), { parse: 'none' })
