import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
const { serve } = await import(`../../../adapters/${runtime}.ts`)

export interface Options {
  graceMs?: number
  drainDelayMs?: number
  /** Whether the store can't be closed. */
  isFailing?: boolean
  /** Whether it takes an hour. */
  hangsOnClose?: boolean
  /** Whether something of the app goes on. */
  isBusy?: boolean
  /** Whether the app itself closes the server, and goes on, when a call of the storage is stuck. */
  closesItself?: boolean
  /** Whether `onResponse` prints outcomes and statuses. */
  showsOutcomes?: boolean
  reusePort?: boolean
}
// An argument, which takes no permission of Deno.
const options: Options = JSON.parse(process.argv[2] ?? '{}')

const storage = memoryStorage()
let heavyPages = 0
const store = createPlantStore(
  {
    ...storage,
    create(owner, plant) {
      console.log('created')
      return storage.create(owner, plant)
    },
    async list(owner, page) {
      if (owner === 'slow') {
        console.log('asked')
        await new Promise((resolve) => setTimeout(resolve, 500))
        console.log('answered')
      }
      if (owner === 'stuck') {
        console.log('asked')
        if (options.closesItself) void server.close()
        await new Promise((resolve) => setTimeout(resolve, 60_000))
      }
      const first = Number(page.after ?? 0n) + 1
      if (owner === 'heavy') {
        heavyPages++
        const start = performance.now()
        while (performance.now() - start < 10) {}
        return Array.from({ length: page.limit }, (_, index) => {
          return { id: BigInt(first + index), name: 'Plant' }
        })
      }
      if (owner === 'counting') return [{ id: 1n, name: String(heavyPages) }]
      // Two pages and one plant.
      return Array.from({ length: Math.min(page.limit, 1002 - first) }, (_, index) => {
        const id = BigInt(first + index)
        return { id, name: `Plant ${id}` }
      })
    },
    close() {
      console.log('closed')
      setTimeout(() => console.log('the app is done'), 50)
      if (options.isFailing) throw new Error('The disk is gone')
      if (options.hangsOnClose) return new Promise((resolve) => setTimeout(resolve, 3_600_000))
      return undefined
    },
  },
  (token) => ({ owner: token }),
  {
    onResponse: options.showsOutcomes
      ? ({ outcome, status }) => console.log(`${outcome} ${status}`)
      : undefined,
  },
)

const wrapped = {
  ...store,
  handle(request: Request) {
    const isWrong = request.headers.get('x-mistake') === 'status'
    if (isWrong) return { status: 7, headers: {}, body: null }
    return store.handle(request)
  },
}

const { reusePort } = options
const server = await serve(wrapped, {
  port: 0,
  reusePort,
  graceMs: options.graceMs,
  drainDelayMs: options.drainDelayMs,
  signals: !options.closesItself,
})
const { url, port } = server
// A timer of the app's own, which nothing ends.
if (options.isBusy) setInterval(() => {}, 1000)
const again = await serve(store, { port, reusePort, signals: false }).catch(
  (error: Error & { code?: string }) => ({ url: error.code }),
)
console.log(`The port once more: ${again.url}`)
console.log(url)
