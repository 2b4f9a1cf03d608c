import { createServer } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { serve as serveOnBun, toBunHandler } from '../../adapters/bun.ts'
import { serve as serveOnDeno } from '../../adapters/deno.ts'
import { toExpressHandler } from '../../adapters/express.ts'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import { enableGracefulClose, serve, toNodeHandler } from '../../adapters/node.ts'
import { toWorker } from '../../adapters/workers.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const store = createPlantStore(memoryStorage(), () => null)

// test/src/plant-store.test.ts has other values that are none of what a function takes.
describe('An adapter that was given no store', () => {
  const functions = {
    ...{ toBunHandler, toExpressHandler, toFastifyPlugin, toNodeHandler },
    enableGracefulClose: (store: any) => enableGracefulClose(createServer(), store),
  }
  it.each(Object.entries(functions) as [string, (store: unknown) => unknown][])(
    'says so when it is created: %s',
    (name, create) => {
      expect(() => create({ port: 3000 })).toThrow(
        `${name} takes a store, as createPlantStore(…) returns it; got an object without `,
      )
    },
  )

  it.each([
    ['Node', serve],
    ['Bun', serveOnBun],
    ['Deno', serveOnDeno],
  ])('says so before it listens: serve on %s', async (_, serve) => {
    await expect(serve(express() as never, { port: 0 })).rejects.toThrow(
      'serve takes a store, as createPlantStore(…) returns it; got a function without notFound()',
    )
  })

  it('says so when a Worker gets none, or a function that returns a promise', async () => {
    expect(() => toWorker(undefined as never)).toThrow('toWorker takes a store')
    const worker = toWorker((async () => store) as never)
    const context = { waitUntil() {} }
    await expect(worker.fetch(new Request('http://localhost/'), {}, context)).rejects.toThrow(
      'toWorker takes a store, as createPlantStore(…) returns it; got a promise',
    )
  })
})
