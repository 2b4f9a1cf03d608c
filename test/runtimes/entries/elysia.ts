import { Elysia } from 'elysia'
import { createAdapterTestStore } from '../../../src/testing.ts'

const app = new Elysia()
app.mount('/api', createAdapterTestStore().fetch)
app.listen({ port: 0, hostname: '127.0.0.1' }, ({ url }) => console.log(url.href))
