// Attacks the hosts with 200 000 connections:
//
//     npm run hostile -- --connections 200000 --host node --seed 1
//
// The connections are shared out among the hosts; without --host, these are all. A failure prints the seed
// and the indexes of the connections that were open: `--from 4711 --connections 1` repeats one of them.
import { parseArgs } from 'node:util'
import { hostileConnections } from './attacks.ts'
import { type HostName, LIVENESS_MS, startTarget, storeHosts } from './target.ts'

const BATCH = 5000
const WARM_UP = 500

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '200000' },
    host: { type: 'string', multiple: true, default: storeHosts },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
})
const unknown = values.host.filter((host) => !(storeHosts as string[]).includes(host))
if (unknown.length > 0) {
  console.error(`There is no host ${unknown.join(' ')}; there are ${storeHosts.join(' ')}`)
  process.exit(1)
}
const seed = Number(values.seed)
const from = Number(values.from)
const share = Math.ceil(Number(values.connections) / values.host.length)
let passed = 0
let failed = 0

async function attackHost(host: HostName): Promise<void> {
  const draw = (first: number, count: number) => hostileConnections(seed, first, count)
  const start = () => startTarget(host, draw(-WARM_UP, WARM_UP))
  let target = await start()
  for (let done = 0; done < share; done += BATCH) {
    const first = from + done
    const count = Math.min(BATCH, share - done)
    const batch = `${host}, seed ${seed}, connections ${first} to ${first + count - 1}`
    const startedAt = performance.now()
    try {
      const longestWaitMs = await target.attack(draw(first, count))
      if (longestWaitMs > LIVENESS_MS) throw new Error('the good client has waited too long')
      const perSecond = Math.round((1000 * count) / (performance.now() - startedAt))
      const wait = `others waited for up to ${Math.round(longestWaitMs)} ms`
      console.error(`${batch}: ${wait}, ${perSecond} connections a second`)
      passed++
    } catch (error) {
      failed++
      console.error(`FAILED: ${batch}: ${(error as Error).message}`)
      await target.stop()
      target = await start()
    }
  }
  await target.stop()
}

for (const host of values.host) await attackHost(host as HostName)
console.log(`${passed} batches passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
