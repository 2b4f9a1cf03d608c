import { Elysia } from 'elysia'
import { toBunHandler } from '../../../adapters/bun.ts'
import { store } from './store.ts'

const plants = toBunHandler(store)
export const app = new Elysia()
app.all('/api/*', ({ request }) => plants(request), { parse: 'none' })
