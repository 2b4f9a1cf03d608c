// A client that asks for a plant every few ms, on one connection: good-client.ts PORT HOST
import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../shared/answer-parent.ts'

/** The results of a good client since it was last paused. */
export interface GoodReport {
  answers: number
  /** Answers that were not the right one, and requests that failed. */
  wrong: string[]
  longestWaitMs: number
}

const PAUSE_MS = 5
const NO_ANSWER_MS = 60_000
const RIGHT = '200 [{"name":"Monstera"}]'
const PATH = '/plants?limit=1'
const AUTH = { authorization: 'Bearer good' }
/** The first wrong answers tell enough. */
const MAX_WRONG = 5

const [, , port, host] = process.argv
const origin = `http://127.0.0.1:${port}`
const session = host === 'http2' ? connect(origin).on('error', () => {}) : undefined

async function askForPlant(): Promise<string> {
  const signal = AbortSignal.timeout(NO_ANSWER_MS)
  if (!session) {
    const response = await fetch(origin + PATH, { headers: AUTH, signal })
    return `${response.status} ${await response.text()}`
  }
  const stream = session.request({ ':path': PATH, ...AUTH })
  const [headers] = await once(stream, 'response', { signal })
  return `${headers[':status']} ${await text(stream)}`
}

let isPaused: boolean
let running: Promise<GoodReport>

async function run(): Promise<GoodReport> {
  const report: GoodReport = { answers: 0, wrong: [], longestWaitMs: 0 }
  while (!isPaused) {
    const askedAt = performance.now()
    const answer = await askForPlant().catch((error: Error) => `failed: ${error.message}`)
    report.longestWaitMs = Math.max(report.longestWaitMs, performance.now() - askedAt)
    report.answers++
    if (answer !== RIGHT && report.wrong.length < MAX_WRONG) report.wrong.push(answer.slice(0, 200))
    await sleep(PAUSE_MS)
  }
  return report
}

answerParent({
  /** Lets it receive the answer that it waits for, and returns what it has seen. */
  pause() {
    isPaused = true
    return running
  },
  resume() {
    isPaused = false
    running = run()
  },
})
