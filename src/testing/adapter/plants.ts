import { formatCursor } from '../../plants/list.ts'
import { show } from '../framework.ts'
import { ensure, plantsOf } from './ensure.ts'
import {
  type Answer,
  CREATE,
  freshId,
  freshOwner,
  idsOfTests,
  LIST,
  toBytes,
  withId,
} from './exchange.ts'
import { type AdapterRules, checkRow, type Row } from './rule.ts'

/** A busy machine may answer late now and then. */
const TRIES = 3
const HEAD_START_MS = 50
const MAX_PAGES = 30

/** Creates a plant whose name is its id. */
const create = (id: bigint): Row => withId({ ...CREATE, body: '{"id":ID,"name":"ä ID"}' }, id)
const remove = (id: bigint): Row => ({ method: 'DELETE', path: `/plants/${id}`, status: 204 })
const missing = { status: undefined, error: 'plant_not_found' } as const
const listOf = (ids: readonly bigint[]): Row => ({
  ...LIST,
  json: ids.map((id) => ({ name: `ä ${id}` })),
})

export const plants: AdapterRules = {
  'create-list-delete': {
    says: 'plants are listed by ascending id, and deleted once',
    advice:
      'Send the status, the headers and the text of each reply as they are: a 204 has neither a body nor a content type.',
    async check(host) {
      const ids = [freshId(), freshId(), freshId(), freshId()] as const
      const [, one] = ids
      const token = host.token()
      const send = (row: Row) => checkRow(host, { ...row, token })

      for (const id of ids.toReversed()) await send(create(id))
      await send(listOf(ids))
      await send({ ...create(one), error: 'duplicate_id' })
      await send({ ...remove(one), headers: { 'content-type': null } })
      await send({ ...remove(one), ...missing })
      await send(listOf(ids.filter((id) => id !== one)))
      await send(create(one))
      await send(listOf(ids))
    },
  },

  isolation: {
    says: 'an owner neither sees nor deletes the plants of another, and may use the same ids',
    advice:
      'Pass Authorization on with each request, and build a request object for each: an answer belongs to its token, not to its URL.',
    owners: 2,
    async check(host) {
      const [one, other] = [freshId(), freshId()]
      const [alice = '', bob = ''] = host.deployment?.tokens ?? [host.token(), host.token()]
      const send = (token: string, row: Row) => checkRow(host, { ...row, token })

      for (const id of [one, other]) await send(alice, create(id))
      await send(alice, listOf([one, other]))
      await send(bob, listOf([]))
      await send(bob, create(one))
      await send(bob, { ...remove(other), ...missing })
      await send(bob, listOf([one]))
      await send(bob, remove(one))
      await send(bob, listOf([]))
      await send(alice, listOf([one, other]))
    },
  },

  'own-response': {
    says: 'of many clients at once, each gets its own response',
    advice: 'Build a request and a response object for each request: share no state between them.',
    async check(host) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const [token, id] = [host.token(), freshId()]
          const json = { name: `ä ${id}` }
          await checkRow(host, { ...create(id), token, json })
          // The clients of a deployment are one owner.
          if (!host.deployment) await checkRow(host, { ...LIST, token, json: [json] })
        }),
      )
    },
  },

  'slow-verifier': {
    says: 'a client whose verifier is slow holds up nobody else',
    advice: 'Serve requests of different connections side by side: do not wait for the one before.',
    needs: 'a verifier that is slow',
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
      const token = host.token()
      const extremes = [0n, 5n, 2n ** 62n, 2n ** 63n - 1n]
      const ids = [freshId(), freshId(), freshId(), ...(host.deployment ? [] : extremes)]
      for (const id of ids) await checkRow(host, { ...create(id), token })
      const base = host.url.href.replace(/\/$/, '')
      // An owner's other plants may come before.
      const start = host.deployment ? `&cursor=${formatCursor(ids[0]! - 1n)}` : ''
      for (const limit of [1, 3, 7, 8]) {
        const first = { ...LIST, path: `/plants?limit=${limit}${start}`, token }
        const seen: string[] = []
        let last: Answer | undefined
        let path: string | undefined = first.path
        for (let pages = 0; path !== undefined && pages < MAX_PAGES; pages++) {
          const request = { ...first, path }
          const answer: Answer = await checkRow(host, request)
          last = answer
          const names = plantsOf(request, answer).map(({ name }) => name)
          const own = host.deployment ? names.filter((name) => idsOfTests(name).length > 0) : names
          seen.push(...own)
          // The plants of others come behind.
          if (seen.length > 0 && own.at(-1) !== names.at(-1)) break
          path = followLink(base + path, answer.headers.get('link'))?.slice(base.length)
        }
        const isWhole = seen.join() === ids.map((id) => `ä ${id}`).join()
        ensure(isWhole, `Following Link led to ${show(seen)}`, first, last)
      }
    },
  },

  head: {
    says: 'HEAD gets the status and the headers of GET, without a body',
    advice:
      'Send the reply without its body if the method is HEAD, and no Content-Length but that of the reply. Most hosts do so by themselves, if the store gets to see HEAD at all.',
    async check(host) {
      const token = host.token()
      for (const id of [freshId(), freshId()]) await checkRow(host, { ...create(id), token })
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
      await checkRow(host, { ...headRequest, token: null, status: 401 })
      if (host.deployment) return
      const long = { ...LIST, method: 'HEAD', token: `owner-${freshOwner('medium')}` }
      await checkRow(host, { ...long, headers: { 'content-length': /^$|[1-9]/ } })
    },
  },
}

/** Follows `next` as RFC 8288 says: relative to the URL of the request. */
export function followLink(url: string, link: string | null | undefined): string | undefined {
  const target = /<([^>]*)>; rel="next"/.exec(`${link}`)?.[1]
  return target === undefined ? undefined : new URL(target, url).href
}
