// An app that ends what it has begun when nothing is left to do.
import { plants } from '../shared/plants.ts'

const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
const { serve } = await import(`../../adapters/${runtime}.ts`)
const { url } = await serve(plants(), { port: 0 })
process.once('beforeExit', () => setTimeout(() => console.log('flushed'), 50))
console.log(url)
