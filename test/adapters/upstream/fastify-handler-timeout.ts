// A handler that finishes while an asynchronous onError hook runs ends the process: fastify/fastify#7042.
import { setTimeout } from 'node:timers/promises'
import Fastify from 'fastify'

const app = Fastify({ handlerTimeout: 50 })
app.addHook('onError', async () => setTimeout(200))
app.get('/', async () => setTimeout(100, 'late'))
const response = await fetch(await app.listen())
console.log(response.status)
await app.close()
