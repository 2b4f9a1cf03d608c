import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, type Api, call, TOKEN } from './api.ts'

const MIN_ID = '-9223372036854775808'
const MAX_ID = '9223372036854775807'

/** The steps that every app must pass, in this order. Each begins and ends with no plants. */
export const contract: Record<string, (api: Api) => Promise<void>> = {
  'creates, and refuses a duplicate': async (api) => {
    const plant = '{"id":7,"name":"Monstera","tag":"indoor"}'
    const created = await call(api, 'POST', '/plants', { body: plant })
    assert.deepEqual(statusAndJson(created), [200, { name: 'Monstera', tag: 'indoor' }])
    assert.equal(await errorOf(call(api, 'POST', '/plants', { body: plant })), 40003)
    assert.equal((await call(api, 'DELETE', '/plants/7')).status, 204)
  },

  'deletes once': async (api) => {
    await create(api, '7')
    const deleted = await call(api, 'DELETE', '/plants/7')
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    assert.equal(await errorOf(call(api, 'DELETE', '/plants/7')), 40401)
  },

  'keeps ids at both ends of int64 and follows Link': async (api) => {
    const ids = [MAX_ID, '-1', MIN_ID, '9007199254740993', '9007199254740992']
    for (const id of ids) await create(api, id)
    assert.deepEqual(await walk(api, 2), [
      [`plant ${MIN_ID}`, 'plant -1'],
      ['plant 9007199254740992', 'plant 9007199254740993'],
      [`plant ${MAX_ID}`],
    ])
    assert.equal(await errorOf(call(api, 'DELETE', '/plants/9223372036854775808')), 40006)
    for (const id of ids) assert.equal((await call(api, 'DELETE', `/plants/${id}`)).status, 204)
    assert.deepEqual(statusAndJson(await call(api, 'GET', '/plants')), [200, []])
  },

  'answers HEAD as GET without a body': async (api) => {
    const { status, headers } = await call(api, 'HEAD', '/plants')
    assert.equal(status, 200)
    // Express adds a charset.
    assert.match(headers.get('content-type')!, /^application\/json/)
  },

  'answers 401 without a token, and with a wrong one': async (api) => {
    const missing = await call(api, 'GET', '/plants', { headers: { authorization: '' } })
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="plants"')
    assert.equal(await errorOf(missing), 40101)
    const wrong = { authorization: 'Bearer wr0ng' }
    assert.equal(await errorOf(call(api, 'GET', '/plants', { headers: wrong })), 40102)
  },

  'answers 404 on other paths': async (api) => {
    assert.equal((await call(api, 'GET', '/animals')).status, 404)
    const { status } = await call(api, 'GET', '/plants/')
    assert.equal(status, api.mount.trailingSlash ?? 404)
  },

  'answers 405 with Allow to other methods': async (api) => {
    for (const method of ['PUT', 'PATCH']) {
      const refused = await call(api, method, '/plants', { body: '{}' })
      assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
      assert.equal(await errorOf(refused), 40501)
    }
  },

  'answers 204 with Allow to OPTIONS': async (api) => {
    const { status, headers } = await call(api, 'OPTIONS', '/plants')
    assert.deepEqual([status, headers.get('allow')], [204, 'GET, HEAD, POST, OPTIONS'])
  },

  'answers 413 to a body over 1 MiB, announced and streamed': async (api) => {
    const body = JSON.stringify({ id: 7, name: 'x'.repeat(1024 * 1024) })
    const announced: Record<string, string> = { 'content-length': String(body.length) }
    for (const headers of [announced, {}]) {
      const refused = await sendAlone(`${api.url}/plants`, 'POST', { headers, body })
      assert.deepEqual([refused.status, JSON.parse(refused.text).error], [413, 41301])
    }
    // Hosts with a limit of their own must let pass what the store allows.
    const largest = JSON.stringify({ id: 7, name: 'x'.repeat(1024 * 1024 - 100) })
    assert.equal((await call(api, 'POST', '/plants', { body: largest })).status, 200)
    assert.equal((await call(api, 'DELETE', '/plants/7')).status, 204)
  },

  'lets a DELETE without Content-Type pass, or refuses it as its host does': async (api) => {
    await create(api, '7')
    const expected = api.mount.bareDelete ?? 204
    // As curl sends it for `-X DELETE`.
    const { status } = await sendAlone(`${api.url}/plants/7`, 'DELETE', { contentType: undefined })
    assert.equal(status, expected)
    if (expected !== 204) assert.equal((await call(api, 'DELETE', '/plants/7')).status, 204)
  },
}

async function create(api: Api, id: string): Promise<void> {
  const body = `{"id":${id},"name":"plant ${id}"}`
  assert.deepEqual(statusAndJson(await call(api, 'POST', '/plants', { body })), [
    200,
    { name: `plant ${id}` },
  ])
}

/** Follows `Link` from page to page. Returns the names of each. */
async function walk(api: Api, limit: number): Promise<string[][]> {
  const pages: string[][] = []
  let path: string | undefined = `?limit=${limit}`
  while (path !== undefined) {
    const { text, headers }: Answer = await call(api, 'GET', `/plants${path}`)
    const plants: { name: string }[] = JSON.parse(text)
    pages.push(plants.map(({ name }) => name))
    path = /^<(\?[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  return pages
}

function statusAndJson({ status, text }: Answer): [number, unknown] {
  return [status, JSON.parse(text)]
}

/** The number in the Error body, whose first three digits are the status. */
async function errorOf(answer: Answer | Promise<Answer>): Promise<number | string> {
  const { status, text } = await answer
  const { error } = text.startsWith('{') ? JSON.parse(text) : {}
  return Math.trunc(error / 100) === status ? error : `${status} ${text}`
}

interface Sending {
  headers?: Record<string, string>
  contentType?: string | undefined
  body?: string
}

/**
 * Sends a request on a connection of its own: a host may close the connection after a response to a body that
 * it has not read, and `fetch` might just then have reused it. A body without Content-Length is streamed.
 */
function sendAlone(
  url: string,
  method: string,
  { headers, body, ...rest }: Sending,
): Promise<{ status: number; text: string }> {
  const contentType = 'contentType' in rest ? rest.contentType : 'application/json'
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(contentType && { 'content-type': contentType }),
        ...headers,
      },
    })
    sending.on('response', (response) => {
      text(response).then((text) => resolve({ status: response.statusCode!, text }), reject)
    })
    sending.on('error', reject)
    for (let i = 0; body !== undefined && i < body.length; i += 65536) {
      sending.write(body.slice(i, i + 65536))
    }
    sending.end()
  })
}
