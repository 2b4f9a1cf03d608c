import { serve } from '../../../adapters/bun.ts'
import { store } from '../store.ts'

const { url } = await serve(store, { port: 0 })
console.log(url)
