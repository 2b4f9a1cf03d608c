import { formatCursor } from '../../plants/list.ts'
import { freshOwner, show } from '../framework.ts'
import { atOnce, inTime, sleep } from '../waiting.ts'
import {
  type Answer,
  CREATE,
  ensure,
  freshId,
  type HttpVersion,
  LIST,
  namesIn,
  type TestRequest,
  withId,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { createNamed } from './plants.ts'
import { type AdapterRules, checkRow } from './rule.ts'
import { LONG_LIST_LENGTH, MEDIUM_LIST_LENGTH, PLANT_NAME } from './test-store.ts'

const ALL_VERSIONS: readonly HttpVersion[] = ['1.0', '1.1', '2']
/** Sockets and frameworks buffer some MB: a small part of the pages of a list of 64 MB. */
const FEW_READS = Math.round(LONG_LIST_LENGTH / 100 / 3)
/** The time without a read after which the reads of the storage count as settled. */
const QUIET_MS = 100
/** More plants than the store reads for the first part of a list. */
const PAGES_LENGTH = 150

const listOf = (owner: string): TestRequest => ({ ...LIST, token: `owner-${owner}` })

/** How a list comes: its pages, its head, its parts, its end. */
export const lists: AdapterRules = {
  link: {
    says: 'Link leads from page to page, relative to the URL of the list, under any mount path',
    advice:
      'Send all headers of the reply as they are: Link is relative, so it needs no mount path.',
    async check(host) {
      const token = host.token()
      const extremes = [0n, 5n, 2n ** 62n, 2n ** 63n - 1n]
      const ids = [freshId(), freshId(), freshId(), ...(host.deployment ? [] : extremes)]
      for (const id of ids) await checkRow(host, { ...createNamed(id), token })
      const base = host.url.href.replace(/\/$/, '')
      // An owner's other plants may come before.
      const start = host.deployment ? `&cursor=${formatCursor(ids[0]! - 1n)}` : ''
      for (const limit of [1, 3, 7, 8]) {
        const first = { ...LIST, path: `/plants?limit=${limit}${start}`, token }
        const seen: string[] = []
        let last: Answer | undefined
        let path: string | undefined = first.path
        for (let pages = 0; path !== undefined && pages < ids.length; pages++) {
          last = await checkRow(host, { ...first, path })
          seen.push(...namesIn({ ...first, path }, last))
          path = followLink(base + path, last.headers.get('link'))?.slice(base.length)
        }
        // The plants of others come behind.
        const own = host.deployment ? seen.slice(0, ids.length) : seen
        const isWhole = own.join() === ids.map((id) => `ä ${id}`).join()
        ensure(isWhole, `Following Link led to ${show(own)}`, first, last)
      }
    },
  },

  head: {
    says: 'HEAD gets the status and the headers of GET, without a body',
    advice:
      'Send the reply without its body if the method is HEAD, and no Content-Length but that of the reply. Most hosts do so by themselves, if the store gets to see HEAD at all.',
    async check(host) {
      const token = host.token()
      for (const id of [freshId(), freshId()]) await checkRow(host, { ...createNamed(id), token })
      const request = { ...LIST, path: '/plants?limit=1', token }
      const { headers, text } = await checkRow(host, request)
      const same = ['content-type', 'link'].map((name) => [name, headers.get(name) ?? null])
      // It may be missing (RFC 9110, section 8.6).
      const length = new RegExp(`^(${Buffer.byteLength(text)})?$`)
      const expected = { ...Object.fromEntries(same), 'content-length': length }
      await checkRow(host, { ...request, method: 'HEAD', headers: expected })
      await checkRow(host, { ...request, method: 'HEAD', token: null, status: 401 })
      if (host.deployment) return
      const long = { ...listOf(freshOwner('medium')), method: 'HEAD' }
      await checkRow(host, { ...long, headers: { 'content-length': /^$|[1-9]/ } })
    },
  },

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
      const { stream } = await openResponse(host, listOf(owner))
      stream.pause()
      let [before, reads] = [-1, 0]
      while (before !== reads && reads < FEW_READS) {
        before = reads
        await sleep(QUIET_MS)
        reads = (await host.report(owner)).reads
      }
      const problem = `The storage was read ${reads} times for a client that had stopped reading, expected fewer than ${FEW_READS}`
      ensure(reads < FEW_READS, problem, listOf(owner))
    },
  },

  'hang-up': {
    says: 'a client that hangs up stops the work on its list',
    advice:
      'When the client disconnects, leave the loop over the body, which calls return() of its iterator. Pass isAborted, so that the store stops between two pages.',
    needs: 'a store that tells how its requests have ended',
    async check(host) {
      const owner = freshOwner('slow')
      const { destroy } = await openResponse(host, listOf(owner))
      destroy()
      const { outcomes, reads } = await host.reportOfEnd(owner)
      const problem = `The list went on after the client had hung up: onResponse got ${outcomes}, after ${reads} reads of the storage`
      ensure(outcomes[0] === 'aborted', problem, listOf(owner))
    },
  },
}

/** Sends a request, waits for the first bytes of the response, and leaves the rest to the test. */
async function openResponse(host: HostUnderTest, request: TestRequest) {
  const exchange = await host.start(request, true)
  const begun = new Promise((resolve) => exchange.stream.once('data', resolve))
  await inTime(host.patienceMs, 'The first bytes of the response did not come', begun)
  return exchange
}

/** Creates more plants than a page has, large ones, lists them, and looks for each in the list. */
async function checkLongListOfDeployment(host: HostUnderTest): Promise<void> {
  const token = host.token()
  const plants = Array.from({ length: PAGES_LENGTH }, () => {
    const id = freshId()
    return { id, name: `${id} ${PLANT_NAME.repeat(10)}` }
  })
  await atOnce(plants, ({ id, name }) =>
    checkRow(host, withId({ ...CREATE, token, body: `{"id":ID,"name":"${name}"}` }, id)),
  )
  const request = { ...LIST, token }
  const answer = await checkRow(host, request)
  const names = namesIn(request, answer)
  const missing = plants.filter(({ name }) => !names.includes(name)).length
  // A deployment with maxLimit has more pages.
  if (answer.headers.has('link')) return
  const problem = `The list looks complete, but ${missing} plants are missing`
  ensure(missing === 0, problem, request, answer)
}

/** Follows `next` as RFC 8288 says: relative to the URL of the request. */
export function followLink(url: string, link: string | null | undefined): string | undefined {
  const target = /<([^>]*)>; rel="next"/.exec(`${link}`)?.[1]
  return target === undefined ? undefined : new URL(target, url).href
}
