import { serve } from '../../../adapters/bun.ts'
import { mapStorage } from '../map-storage.ts'
import { bareFetch } from './bare.ts'
import { createStore } from './store.ts'

declare const Bun: { serve(options: object): { port: number } }

/** bun test/bench/runtimes/bun.ts bare|plant-store: prints its port. */
const { port } =
  process.argv[2] === 'bare'
    ? Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: bareFetch(mapStorage()) })
    : await serve(createStore(), { port: 0 })
console.log(port)
