import { Elysia } from 'elysia'
import { toBunHandler } from '../../../adapters/bun.ts'
import { store } from './store.ts'

const plants = toBunHandler(store)
const respond = ({ request }: { request: Request }) => plants(request)
export const app = new Elysia({ prefix: '/api' })
app.get('/plants', respond)
app.post('/plants', respond, { parse: 'none' })
app.all('/*', respond, { parse: 'none' })
