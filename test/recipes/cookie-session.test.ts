import { describe, expect, it } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { listening } from '../shared/listening.ts'

const ORIGIN = 'https://garden.example'
const cookie = 'theme=dark; __Host-session=a1'

const { withCookieSession } = await guideFiles('docs/recipes/cookie-session.md')(
  'cookie-session.mts',
)
const verify = (token: string) => (token === 'a1' ? { owner: 'alice' } : null)
const store = withCookieSession(createPlantStore(memoryStorage(), verify), ORIGIN)

/** Sends a request to a host, and one to `fetch`. */
async function ask(headers: Record<string, string>, method = 'GET'): Promise<number[]> {
  const { url } = await listening(toNodeHandler(store))
  const statuses: number[] = []
  for (const send of [fetch, (to: string, init: object) => store.fetch(new Request(to, init))]) {
    const body = method === 'GET' ? null : `{"id":${statuses.length},"name":"Fern"}`
    const all = { 'content-type': 'application/json', ...headers }
    statuses.push((await send(`${url}/plants`, { method, body, headers: all })).status)
  }
  return statuses
}

describe('A cookie session', () => {
  it('opens the plants of its user, and no other cookie does', async () => {
    expect(await ask({ cookie })).toEqual([200, 200])
    expect(await ask({ cookie: '__Host-session=b2' })).toEqual([401, 401])
    expect(await ask({ cookie: 'x__Host-session=a1' })).toEqual([401, 401])
  })

  it('changes plants from a page of the origin only', async () => {
    expect(await ask({ cookie, origin: ORIGIN }, 'POST')).toEqual([200, 200])
    expect(await ask({ cookie, origin: 'https://evil.example' }, 'POST')).toEqual([403, 403])
    expect(await ask({ cookie }, 'POST')).toEqual([403, 403])
  })

  it('leaves no other way in', async () => {
    expect(await ask({ authorization: 'Bearer a1' })).toEqual([401, 401])
  })
})
