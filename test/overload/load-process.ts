// The load: a process of its own.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../shared/answer-parent.ts'

/** What becomes of requests. A failed one got another status, or its connection broke. */
const NONE = { good: 0, refused: 0, gaveUp: 0, failed: 0 }

/** When a client gives up and closes its connection. */
const PATIENCE_MS = 1000
/** One owner alone never gets the last slot. */
const OWNERS = 8
/** More than any of the pools has slots. */
const CLIENTS = 200

/** The next id. No earlier process had it: the tables stay. */
let id = Date.now() * 1000
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1000 })

answerParent({
  /**
   * Sends every request on time, whether or not earlier ones have been answered.
   *
   * @param perSecond how many to send in each second
   */
  async offer({ port, perSecond }: { port: number; perSecond: number[] }) {
    const seconds = perSecond.map((offered) => ({ offered, ...NONE }))
    const start = performance.now()
    const results: Promise<void>[] = []
    for (const [i, second] of seconds.entries()) {
      for (let sent = 0; sent < second.offered; sent++) {
        const wait = start + (i + sent / second.offered) * 1000 - performance.now()
        await (wait > 0 ? sleep(wait) : setImmediate())
        results.push(create(port, PATIENCE_MS).then((result) => void second[result]++))
      }
    }
    await Promise.all(results)
    return seconds
  },

  /** Finds the capacity: creates per second of clients that wait for each response. */
  async capacity({ port }: { port: number }): Promise<number> {
    // The first calls open the connections of the pool.
    await Promise.all(Array.from({ length: CLIENTS }, () => create(port, 60_000)))
    const end = performance.now() + 3000
    let count = 0
    async function client() {
      while (performance.now() < end) {
        const result = await create(port, 60_000)
        if (result === 'good' && performance.now() < end) count++
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return count / 3
  },
})

async function create(port: number, patienceMs: number): Promise<keyof typeof NONE> {
  const body = `{"id":${id++},"name":"Monstera"}`
  const headers = {
    authorization: `Bearer owner-${id % OWNERS}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const signal = AbortSignal.timeout(patienceMs)
  const init = { host: '127.0.0.1', path: '/plants', method: 'POST', headers, agent, signal }
  try {
    const sent = request({ port, ...init }).on('error', () => {})
    const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage]
    await text(response)
    const { statusCode } = response
    return statusCode === 200 ? 'good' : statusCode === 503 ? 'refused' : 'failed'
  } catch {
    return signal.aborted ? 'gaveUp' : 'failed'
  }
}
