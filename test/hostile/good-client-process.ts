// Asks for a plant every few ms. When it is paused, it reports to the parent process.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as requestHttp1 } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GoodReport } from './good-client.ts'

const PAUSE_MS = 5
const NO_ANSWER_MS = 60_000
const RIGHT = '200 [{"name":"Monstera"}]'
const PATH = '/plants?limit=1'
const AUTHORIZATION = 'Bearer good'
/** The first wrong answers tell enough. */
const MAX_WRONG = 5

const [, , port, protocol] = process.argv
const origin = `http://127.0.0.1:${port}`
const ask = protocol === 'http2' ? createHttp2Asker() : askHttp1
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

let report = emptyReport()
let isPaused = false
let resume = () => {}

function inTime() {
  return { signal: AbortSignal.timeout(NO_ANSWER_MS) }
}

function emptyReport(): GoodReport {
  return { answers: 0, wrong: [], longestWaitMs: 0 }
}

async function askHttp1(): Promise<string> {
  const headers = { authorization: AUTHORIZATION }
  const request = requestHttp1(origin + PATH, { agent, headers }).end()
  const [response] = (await once(request, 'response', inTime())) as [IncomingMessage]
  return `${response.statusCode} ${await text(response)}`
}

function createHttp2Asker(): () => Promise<string> {
  const session = connectHttp2(origin)
  session.on('error', () => {})
  return async () => {
    const stream = session.request({ ':path': PATH, authorization: AUTHORIZATION })
    const [headers] = await once(stream, 'response', inTime())
    return `${headers[':status']} ${await text(stream)}`
  }
}

process.on('message', (message) => {
  isPaused = message === 'pause'
  if (!isPaused) resume()
})
process.on('disconnect', () => process.exit())

process.send!('ready')
for (;;) {
  const askedAt = performance.now()
  const answer = await ask().catch((error: Error) => `failed: ${error.message}`)
  report.longestWaitMs = Math.max(report.longestWaitMs, performance.now() - askedAt)
  report.answers++
  if (answer !== RIGHT && report.wrong.length < MAX_WRONG) report.wrong.push(answer.slice(0, 200))
  if (isPaused) {
    process.send!(report)
    report = emptyReport()
    await new Promise<void>((resolve) => {
      resume = resolve
    })
  }
  await sleep(PAUSE_MS)
}
