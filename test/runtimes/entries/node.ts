import { serve } from '../../../adapters/node.ts'
import { store } from '../store.ts'

const { url } = await serve(store, { port: 0 })
console.log(url)
