// A client that asks for a plant every few ms, on one connection: good-client.ts PORT
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../shared/answer-parent.ts'

/** The results of a good client since it was last paused. */
export interface GoodReport {
  /** Answers that were not the right one, and requests that failed. */
  wrong: string[]
  /** 0 without an answer. */
  longestWaitMs: number
}

const PAUSE_MS = 5
const NO_ANSWER_MS = 60_000
const RIGHT = '200 [{"name":"Monstera"}]'
/** The first wrong answers tell enough. */
const MAX_WRONG = 5

const url = `http://127.0.0.1:${process.argv[2]}/plants?limit=1`

async function askForPlant(): Promise<string> {
  const headers = { authorization: 'Bearer good' }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(NO_ANSWER_MS) })
  return `${response.status} ${await response.text()}`
}

let isPaused: boolean
let running: Promise<GoodReport>

async function run(): Promise<GoodReport> {
  const report: GoodReport = { wrong: [], longestWaitMs: 0 }
  while (!isPaused) {
    const askedAt = performance.now()
    const answer = await askForPlant().catch((error: Error) => `failed: ${error.message}`)
    report.longestWaitMs = Math.max(report.longestWaitMs, performance.now() - askedAt)
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
