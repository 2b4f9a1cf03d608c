import Fastify from 'fastify'
import { plantStore } from '../../../adapters/fastify.ts'
import { mountedStore as store } from './store.ts'

export const app = Fastify()
app.register(plantStore, { store, prefix: '/api' })
