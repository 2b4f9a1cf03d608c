import { createServer } from 'node:http'
import { toNodeHandler } from '../../../adapters/node.ts'
import { store } from './store.ts'

export const server = createServer(toNodeHandler(store))
