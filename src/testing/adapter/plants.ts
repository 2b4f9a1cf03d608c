import { show } from '../violation.ts'
import { ensure, plantsOf } from './ensure.ts'
import { type Answer, CREATE, freshOwner, freshToken, LIST, toBytes } from './exchange.ts'
import { type AdapterRules, checkRow, type Row } from './rule.ts'

/** A busy machine may answer late now and then. */
const TRIES = 3
const HEAD_START_MS = 50

/** Creates a plant whose name is its id. */
const create = (id: bigint): Row => ({ ...CREATE, body: `{"id":${id},"name":"ä ${id}"}` })
const remove = (id: bigint): Row => ({ method: 'DELETE', path: `/plants/${id}`, status: 204 })
const missing = { status: undefined, error: 'plant_not_found' } as const
const listOf = (ids: readonly bigint[]): Row => ({
  ...LIST,
  json: ids.map((id) => ({ name: `ä ${id}` })),
})

export const plants: AdapterRules = {
  'create-list-delete': {
    says: 'plants are listed by ascending id, deleted once, and each owner has their own',
    advice:
      'Send the status, the headers and the text of each reply as they are: a 204 has neither a body nor a content type.',
    async check(host) {
      const ids = [-1n, 0n, 7n, 10n]
      const [alice, bob] = [{ token: freshToken() }, { token: freshToken() }]
      const send = (caller: { token: string }, row: Row) => checkRow(host, { ...row, ...caller })

      for (const id of ids.toReversed()) await send(alice, create(id))
      await send(alice, listOf(ids))
      await send(alice, { ...create(7n), error: 'duplicate_id' })
      await send(bob, create(7n))
      await send(bob, { ...remove(10n), ...missing })
      await send(bob, listOf([7n]))

      await send(alice, { ...remove(7n), headers: { 'content-type': null } })
      await send(alice, { ...remove(7n), ...missing })
      await send(alice, listOf(ids.filter((id) => id !== 7n)))
      await send(alice, create(7n))
      await send(alice, listOf(ids))
    },
  },

  'own-response': {
    says: 'of many clients at once, each gets its own response',
    advice: 'Build a request and a response object for each request: share no state between them.',
    async check(host) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const token = freshToken()
          await checkRow(host, { ...CREATE, token, body: `{"id":7,"name":"${token}"}` })
          await checkRow(host, { ...LIST, token, json: [{ name: token }] })
        }),
      )
    },
  },

  'slow-verifier': {
    says: 'a client whose verifier is slow holds up nobody else',
    advice: 'Serve requests of different connections side by side: do not wait for the one before.',
    async check(host) {
      const request = { ...LIST, token: 'silent' }
      for (let tries = 0; tries < TRIES; tries++) {
        let isSlowDone = false
        const slow = host.send(request).finally(() => {
          isSlowDone = true
        })
        // It fails if the next one does: the host is then stopped.
        slow.catch(() => {})
        // It may reach the store a little later than the next one.
        await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS))
        await checkRow(host, LIST)
        const wasFirst = !isSlowDone
        await slow
        if (wasFirst) return
      }
      const problem = 'The list came only after the response to a request whose verifier is slow'
      ensure(false, problem, request)
    },
  },

  link: {
    says: 'Link leads from page to page, relative to the URL of the list, under any mount path',
    advice:
      'Send all headers of the reply as they are: Link is relative, so it needs no mount path.',
    async check(host) {
      const token = freshToken()
      const ids = [-3n, -1n, 0n, 1n, 5n, 2n ** 62n, 2n ** 63n - 1n]
      for (const id of ids) await checkRow(host, { ...create(id), token })
      const base = host.url.href.replace(/\/$/, '')
      for (const limit of [1, 3, 7, 8]) {
        const first = { ...LIST, path: `/plants?limit=${limit}`, token }
        const seen: string[] = []
        let path: string | undefined = first.path
        while (path !== undefined) {
          const request = { ...first, path }
          const answer: Answer = await checkRow(host, request)
          for (const { name } of plantsOf(request, answer)) seen.push(name)
          path = followLink(base + path, answer.headers.get('link'))?.slice(base.length)
        }
        const isWhole = seen.join() === ids.map((id) => `ä ${id}`).join()
        ensure(isWhole, `Following Link led to ${show(seen)}`, first)
      }
    },
  },

  head: {
    says: 'HEAD gets the status and the headers of GET, without a body',
    advice:
      'Send the reply without its body if the method is HEAD, and no Content-Length but that of the reply. Most hosts do so by themselves, if the store gets to see HEAD at all.',
    async check(host) {
      const token = freshToken()
      for (const id of [1n, 2n]) await checkRow(host, { ...create(id), token })
      const request = { ...LIST, path: '/plants?limit=1', token }
      const headRequest = { ...request, method: 'HEAD' }
      const { headers, text } = await checkRow(host, request)
      const like = (name: string) => headers.get(name) ?? null
      // It may be missing (RFC 9110, section 8.6).
      const length = new RegExp(`^(${toBytes(text).length})?$`)
      await checkRow(host, {
        ...headRequest,
        headers: {
          'content-type': like('content-type'),
          link: like('link'),
          'content-length': length,
        },
      })
      const long = { ...LIST, method: 'HEAD', token: `owner-${freshOwner('medium')}` }
      await checkRow(host, { ...long, headers: { 'content-length': /^$|[1-9]/ } })
      await checkRow(host, { ...long, token: null, status: 401 })
    },
  },
}

/** Follows `next` as RFC 8288 says: relative to the URL of the request. */
export function followLink(url: string, link: string | null | undefined): string | undefined {
  const target = /<([^>]*)>; rel="next"/.exec(`${link}`)?.[1]
  return target === undefined ? undefined : new URL(target, url).href
}
