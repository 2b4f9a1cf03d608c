import { settleAll, sleep } from '../waiting.ts'
import { CREATE, ensure, freshId, LIST, withId } from './exchange.ts'
import { type AdapterRules, checkRow, type Row } from './rule.ts'

/** A busy machine may answer late now and then. */
const TRIES = 3
const HEAD_START_MS = 50

/** Creates a plant whose name is its id. */
export const createNamed = (id: bigint): Row =>
  withId({ ...CREATE, body: '{"id":ID,"name":"ä ID"}', json: { name: `ä ${id}` } }, id)
const plantsListed = (...ids: bigint[]): Row => ({
  ...LIST,
  json: ids.map((id) => ({ name: `ä ${id}` })),
})
const remove = (id: bigint): Row => ({ method: 'DELETE', path: `/plants/${id}`, status: 204 })
const missing = { status: undefined, error: 'plant_not_found' } as const

/** What clients see of their plants, and of nobody else's. */
export const plants: AdapterRules = {
  'create-list-delete': {
    says: 'plants are listed by ascending id, and deleted once',
    advice:
      'Send the status, the headers and the text of each reply as they are: a 204 has neither a body nor a content type.',
    steps(host) {
      const [a, b, c] = [freshId(), freshId(), freshId()]
      const token = host.token()
      return [
        ...[c, b, a].map(createNamed),
        plantsListed(a, b, c),
        { ...createNamed(b), json: undefined, error: 'duplicate_id' } as const,
        { ...remove(b), headers: { 'content-type': null } },
        { ...remove(b), ...missing },
        plantsListed(a, c),
        createNamed(b),
        plantsListed(a, b, c),
      ].map((row) => ({ ...row, token }))
    },
  },

  isolation: {
    says: 'an owner neither sees nor deletes the plants of another, and may use the same ids',
    advice:
      'Pass Authorization on with each request, and build a request object for each: an answer belongs to its token, not to its URL.',
    owners: 2,
    steps(host) {
      const [one, other] = [freshId(), freshId()]
      const [alice = '', bob = ''] = host.deployment?.tokens ?? [host.token(), host.token()]
      const by = (token: string, ...rows: Row[]) => rows.map((row) => ({ ...row, token }))
      return [
        ...by(alice, createNamed(one), createNamed(other), plantsListed(one, other)),
        ...by(bob, createNamed(one), { ...remove(other), ...missing }, plantsListed(one)),
        ...by(bob, remove(one), plantsListed()),
        ...by(alice, plantsListed(one, other)),
      ]
    },
  },

  'own-response': {
    says: 'of many clients at once, each gets its own response',
    advice: 'Build a request and a response object for each request: share no state between them.',
    rows: () =>
      Array.from({ length: 25 }, (): Row[] => [
        createNamed(freshId()),
        { ...LIST, token: null, error: 'missing_token' },
      ]).flat(),
  },

  'slow-verifier': {
    says: 'a client whose verifier is slow holds up nobody else',
    advice: 'Serve requests of different connections side by side: do not wait for the one before.',
    needs: 'a verifier that is slow',
    async check(host) {
      const request = { ...LIST, token: 'silent' }
      for (let tries = 0; tries < TRIES; tries++) {
        const slow = host.send(request)
        // It may reach the store a little later than the next one.
        await sleep(HEAD_START_MS)
        const next = checkRow(host, LIST)
        const first = await Promise.race([slow, next])
        await settleAll([slow, next])
        if (first.status === 200) return
      }
      const problem = 'The list came only after the response to a request whose verifier is slow'
      ensure(false, problem, request)
    },
  },
}
