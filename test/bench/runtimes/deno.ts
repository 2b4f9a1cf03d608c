import { serve } from '../../../adapters/deno.ts'
import { mapStorage } from '../map-storage.ts'
import { bareFetch } from './bare.ts'
import { createStore } from './store.ts'

declare const Deno: {
  args: string[]
  serve(options: object, handler: unknown): { addr: { port: number } }
}

/** deno run --allow-net test/bench/runtimes/deno.ts bare|plant-store: prints its port. */
const port =
  Deno.args[0] === 'bare'
    ? Deno.serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, bareFetch(mapStorage())).addr
        .port
    : (await serve(createStore(), { port: 0 })).port
console.log(port)
