import { Elysia } from 'elysia'
import { mountedStore as store } from './store.ts'

export const app = new Elysia()
app.mount('/api', store.fetch)
