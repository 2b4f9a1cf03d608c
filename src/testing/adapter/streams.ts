import { atOnce } from '../waiting.ts'
import { ensure, plantsOf } from './ensure.ts'
import {
  CREATE,
  freshId,
  freshOwner,
  type HttpVersion,
  LIST,
  type TestRequest,
  withId,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkRow } from './rule.ts'
import { LONG_LIST_LENGTH, MEDIUM_LIST_LENGTH, PLANT_NAME } from './test-store.ts'

const ALL_VERSIONS: readonly HttpVersion[] = ['1.0', '1.1', '2']
/** Sockets and frameworks buffer some MB: a small part of the pages of a list of 64 MB. */
const FEW_READS = LONG_LIST_LENGTH / 100 / 3
/** The time without a read after which the reads of the storage count as settled. */
const QUIET_MS = 100
/** More plants than the store reads for the first part of a list. */
const PAGES_LENGTH = 150
const AT_ONCE = 20
/** The store sends parts of about 256 KiB, and a chunk may have some of them. */
const LONGEST_CHUNK = 1_000_000

const listOf = (owner: string): TestRequest => ({ ...LIST, token: `owner-${owner}` })

export const streams: AdapterRules = {
  'long-list': {
    says: 'a long list comes whole',
    advice:
      'Send each part of a streamed body, then end the response. The size of a chunk is in bytes of UTF-8. Over HTTP/1.0 do not send chunks.',
    over: ALL_VERSIONS,
    async check(host) {
      if (host.deployment) return checkLongListOfDeployment(host)
      const json = Array.from({ length: MEDIUM_LIST_LENGTH }, (_, index) => ({
        name: `${index + 1} ${PLANT_NAME}`,
      }))
      const headers = host.version === '1.0' ? { 'transfer-encoding': null } : undefined
      await checkRow(host, { ...listOf(freshOwner('medium')), json, headers })
    },
  },

  'truncated-list': {
    says: 'a list that fails midway never looks complete',
    advice:
      'Break the connection if the iterable of the body throws, or reset the stream of HTTP/2 with an error code: do not end the response. Over HTTP/1.0, only a reset tells the client.',
    over: ALL_VERSIONS,
    needs: 'a storage that fails in the middle of a list',
    async check(host) {
      for (const kind of ['breaking', 'breakingLate']) {
        const owner = freshOwner(kind)
        const request = listOf(owner)
        // The reset may overtake the head of the response.
        const answer = await host.trySend(request)
        const isTruncated = !answer?.isComplete || answer.status !== 200
        ensure(isTruncated, 'A list that failed midway looks complete', request, answer)
        await host.reportOfEnd(owner)
      }
    },
  },

  backpressure: {
    says: 'what a client does not read is not read from the storage either',
    advice:
      'Ask for the next part of a streamed body only when the part before it has been sent: wait for drain, or for ready of a writer.',
    needs: 'a storage that counts its reads',
    async check(host) {
      const owner = freshOwner('long')
      const request = listOf(owner)
      const response = await host.open(request)
      response.stream.pause()
      const reads = await settledReads(host, owner)
      const problem = `The storage was read ${reads} times for a client that had stopped reading, expected fewer than ${Math.round(FEW_READS)}`
      ensure(reads < FEW_READS, problem, request)
    },
  },

  'hang-up': {
    says: 'a client that hangs up stops the work on its list',
    advice:
      'When the client disconnects, leave the loop over the body, which calls return() of its iterator. Pass isAborted, so that the store stops between two pages.',
    needs: 'a store that tells how its requests have ended',
    async check(host) {
      const owner = freshOwner('slow')
      const request = listOf(owner)
      const { destroy } = await host.open(request)
      destroy()
      const { outcomes, reads } = await host.reportOfEnd(owner)
      const problem = `The list went on after the client had hung up: onResponse got ${outcomes}, after ${reads} reads of the storage`
      ensure(outcomes[0] === 'aborted', problem, request)
    },
  },
}

/** Creates more plants than a page has, large ones, lists them, and looks at how the list came. */
async function checkLongListOfDeployment(host: HostUnderTest): Promise<void> {
  const token = host.token()
  const ids = Array.from({ length: PAGES_LENGTH }, () => freshId())
  const nameOf = (id: bigint) => `${id} ${PLANT_NAME.repeat(10)}`
  const create = (id: bigint) =>
    checkRow(host, withId({ ...CREATE, token, body: `{"id":ID,"name":"${nameOf(id)}"}` }, id))
  await atOnce(ids, create, AT_ONCE)
  const request = { ...LIST, token }
  const answer = await checkRow(host, request)
  const names = plantsOf(request, answer).map(({ name }) => name)
  const missing = ids.filter((id) => !names.includes(nameOf(id))).length
  // A deployment with maxLimit has more pages.
  if (answer.headers.has('link')) return
  ensure(
    missing === 0,
    `The list looks complete, but ${missing} plants are missing`,
    request,
    answer,
  )
  const { longestChunk = 0 } = answer
  const length = answer.headers.get('content-length')
  const problem = `The list was not streamed: Content-Length is ${length}, the longest chunk ${longestChunk} bytes`
  ensure(length === undefined && longestChunk < LONGEST_CHUNK, problem, request, answer)
}

async function settledReads(host: HostUnderTest, owner: string): Promise<number> {
  for (;;) {
    const { reads } = await host.report(owner)
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    const later = await host.report(owner)
    if (later.reads === reads) return reads
  }
}
