import { show } from '../violation.ts'
import { type Answer, freshOwner, freshToken, parseJson, toBytes } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkAnswer, checkRow, ensure } from './rule.ts'

const LIST = { method: 'GET', path: '/plants' }
/** A busy machine may answer late now and then. */
const TRIES = 3
const HEAD_START_MS = 50

const create = (host: HostUnderTest, token: string, id: bigint, name: string, status = 200) =>
  checkRow(host, { ...newPlant(token, id, name), status })

function newPlant(token: string, id: bigint, name: string) {
  const body = `{"id":${id},"name":${JSON.stringify(name)}}`
  return { method: 'POST', path: '/plants', token, body }
}

const remove = (host: HostUnderTest, token: string, id: bigint, status: 204 | 404) =>
  checkRow(host, {
    method: 'DELETE',
    path: `/plants/${id}`,
    token,
    status,
    ...(status === 404 && { error: 'plant_not_found' }),
  })

const listNames = (host: HostUnderTest, token: string, names: readonly unknown[]) =>
  checkRow(host, { ...LIST, token, status: 200, json: names.map((name) => ({ name })) })

export const plants: AdapterRules = {
  'create-list-delete': {
    says: 'plants are listed by ascending id, deleted once, and each owner has their own',
    advice:
      'Send the status, the headers and the text of each reply as they are: a 204 has neither a body nor a content type.',
    async check(host) {
      const [alice, bob] = [freshToken(), freshToken()]
      const ids = [7n, 2n ** 63n - 1n, -1n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 53n, 10n, 0n]
      for (const id of ids) await create(host, alice, id, `ä ${id}`)
      const names = ids.toSorted((a, b) => (a < b ? -1 : 1)).map((id) => `ä ${id}`)
      await listNames(host, alice, names)

      const again = await create(host, alice, 7n, 'again', 400)
      checkAnswer(newPlant(alice, 7n, 'again'), again, { status: 400, error: 'duplicate_id' })
      await create(host, bob, 7n, 'Bob’s')
      await remove(host, bob, 10n, 404)
      await listNames(host, bob, ['Bob’s'])

      const deleted = await remove(host, alice, 7n, 204)
      const request = { method: 'DELETE', path: '/plants/7', token: alice }
      ensure(deleted.text === '', 'A 204 must have no body', request, deleted)
      ensure(!deleted.headers.has('content-type'), 'A 204 has a content type', request, deleted)
      await remove(host, alice, 7n, 404)
      await listNames(
        host,
        alice,
        names.filter((name) => name !== 'ä 7'),
      )
      await create(host, alice, 7n, 'ä 7')
      await listNames(host, alice, names)
    },
  },

  'own-response': {
    says: 'of many clients at once, each gets its own response',
    advice: 'Build a request and a response object for each request: share no state between them.',
    async check(host) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const token = freshToken()
          await create(host, token, 7n, token)
          await listNames(host, token, [token])
        }),
      )
    },
  },

  'slow-verifier': {
    says: 'a client whose verifier is slow holds up nobody else',
    advice: 'Serve requests of different connections side by side: do not wait for the one before.',
    async check(host) {
      for (let tries = 0; tries < TRIES; tries++) {
        let isSlowDone = false
        const slow = host.send({ ...LIST, token: 'silent' }).finally(() => {
          isSlowDone = true
        })
        // It fails if the next one does: the host is then stopped.
        slow.catch(() => {})
        // It may reach the store a little later than the next one.
        await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS))
        const wasFirst = await listNames(host, freshToken(), []).then(() => !isSlowDone)
        await slow
        if (wasFirst) return
      }
      const problem = 'The list came only after the response to a request whose verifier is slow'
      ensure(false, problem, { ...LIST, token: 'silent' })
    },
  },

  link: {
    says: 'Link leads from page to page, relative to the URL of the list, under any mount path',
    advice:
      'Send all headers of the reply as they are: Link is relative, so it needs no mount path.',
    async check(host) {
      const token = freshToken()
      const names = [-3n, -1n, 0n, 1n, 5n, 2n ** 62n, 2n ** 63n - 1n].map(String)
      for (const name of names) await create(host, token, BigInt(name), name)
      const base = host.url.href.replace(/\/$/, '')
      for (const limit of [1, 3, 7, 8]) {
        const seen: string[] = []
        let pages = 0
        for (let path: string | undefined = `/plants?limit=${limit}`; path !== undefined; pages++) {
          const request = { method: 'GET', path, token }
          const answer: Answer = await checkRow(host, { ...request, status: 200 })
          const plants = parseJson(answer.text)
          ensure(Array.isArray(plants), 'The body must be a list', request, answer)
          for (const { name } of plants) seen.push(name)
          path = followLink(base + path, answer.headers.get('link'))?.slice(base.length)
        }
        const request = { method: 'GET', path: `/plants?limit=${limit}`, token }
        ensure(seen.join() === names.join(), `Following Link led to ${show(seen)}`, request)
        ensure(pages === Math.ceil(7 / limit), `Following Link led to ${pages} pages`, request)
      }
      const none = { ...LIST, path: '/plants?limit=0', token, status: 200, json: [] }
      await checkRow(host, { ...none, headers: { link: null } })
    },
  },

  head: {
    says: 'HEAD gets the status and the headers of GET, without a body',
    advice:
      'Send the reply without its body if the method is HEAD, and no Content-Length but that of the reply. Most hosts do so by themselves, if the store gets to see HEAD at all.',
    async check(host) {
      const token = freshToken()
      await create(host, token, 1n, 'a')
      await create(host, token, 2n, 'b')
      const request = { path: '/plants?limit=1', token, status: 200 }
      const get = await checkRow(host, { ...request, method: 'GET' })
      const head = await checkRow(host, { ...request, method: 'HEAD' })
      for (const name of ['content-type', 'link', 'cache-control']) {
        const [got, expected] = [head.headers.get(name), get.headers.get(name)]
        const problem = `The header ${name} is ${show(got)}, expected ${show(expected)} as for GET`
        ensure(got === expected, problem, { ...request, method: 'HEAD' }, head)
      }
      // It may be missing (RFC 9110, section 8.6).
      const length = head.headers.get('content-length') ?? null
      const expected = `${toBytes(get.text).length}`
      const problem = `The header content-length is ${show(length)}, expected ${expected} or none`
      const isRight = length === null || length === expected
      ensure(isRight, problem, { ...request, method: 'HEAD' }, head)
      const long = { method: 'HEAD', path: '/plants', token: `owner-${freshOwner('medium')}` }
      await checkRow(host, { ...long, status: 200, headers: { 'content-length': /^(?!0$)/ } })
      await checkRow(host, { method: 'HEAD', path: '/plants', token: null, status: 401 })
    },
  },
}

/** Follows `next` as RFC 8288 says: relative to the URL of the request. */
export function followLink(url: string, link: string | null | undefined): string | undefined {
  const target = /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]
  return target === undefined ? undefined : new URL(target, url).href
}
