import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { parsePrefer } from '../../adapters/cli/mock/prefer.ts'
import { type ErrorName, errors } from '../../src/errors.ts'
import { type RunningServer, STOPPED } from '../shared/server-process.ts'
import { useCommand } from './command.ts'

const { directory, start } = useCommand()
const seed = join(directory, 'seed.json')
writeFileSync(seed, '{"t1":[{"id":7,"name":"Monstera"},{"id":8,"name":"Ficus"}]}')

/** A mock in which each token t0, t1, … opens the plants of an owner of the same name. */
function startMock(...args: string[]): Promise<RunningServer> {
  const tokens = Array.from({ length: 20 }, (_, index) => ['--token', `t${index}=t${index}`])
  return start({ args: ['--mock', '--seed', seed, '--cors', ...tokens.flat(), ...args] })
}

let mock: RunningServer
beforeAll(async () => {
  mock = await startMock()
})

interface Call {
  token: string
  prefer?: string
  method?: string
  path?: string
  body?: string
}

const MONSTERA = '{"id":7,"name":"Monstera"}'

function call({ token, prefer, path = '/plants', ...init }: Call): Promise<Response> {
  const preferences: Record<string, string> = prefer === undefined ? {} : { prefer }
  const origin = 'https://garden.example'
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin }
  return fetch(mock.url + path, { ...init, headers: { ...headers, ...preferences } })
}

async function answerTo(request: Call) {
  const response = await call(request)
  const body = await response.json()
  return [response.status, body.error ?? body, response.headers.get('preference-applied')]
}

const create = (token: string, outcome?: string): Call => ({
  token,
  method: 'POST',
  body: MONSTERA,
  ...(outcome && { prefer: `plant-store=${outcome}` }),
})
const countOf = async (token: string) => (await (await call({ token })).json()).length

describe('Prefer: code and example', () => {
  it.each(Object.keys(errors) as ErrorName[])('answer with %s of the catalogue', async (name) => {
    const { status, error, message } = errors[name]
    const response = await call({ token: 't0', prefer: `respond-async, example=${name}` })
    expect(response.status).toBe(status)
    // The store names the scope.
    const isScope = name === 'insufficient_scope'
    const said = isScope ? expect.stringContaining('scope plants:read') : message
    expect(await response.json()).toEqual({ error, message: said })
    expect(response.headers.get('preference-applied')).toBe(`example=${name}`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
    const header = { 401: 'www-authenticate', 403: 'www-authenticate', 405: 'allow' }
    const retry = { 429: 'retry-after', 503: 'retry-after' }
    const expected = ({ ...header, ...retry } as Record<number, string>)[status]
    if (expected) expect(response.headers.get(expected)).toBeTruthy()
  })

  it('answer with the first error of a status that the operation has, and apply nothing', async () => {
    const prefer = 'code=400'
    expect(await answerTo({ ...create('t0'), prefer })).toEqual([400, 40001, prefer])
    expect(await answerTo({ token: 't0', prefer })).toEqual([400, 40004, prefer])
    const remove = { token: 't1', method: 'DELETE', path: '/plants/7' }
    expect(await answerTo({ ...remove, prefer })).toEqual([400, 40006, prefer])
    const both = { ...remove, prefer: 'code=400, example=timeout' }
    // Each time.
    for (let i = 0; i < 2; i++) {
      expect(await answerTo(both)).toEqual([503, 50303, 'example=timeout'])
    }
    expect(await answerTo({ ...remove, prefer: 'code=404' })).toEqual([404, 40401, 'code=404'])
    expect(await answerTo({ token: 't0', prefer: 'code=404' })).toEqual([404, 40402, 'code=404'])
    expect([await countOf('t0'), await countOf('t1')]).toEqual([0, 2])
    expect(await answerTo({ token: 't0', prefer: 'code=200' })).toEqual([200, [], null])
  })

  it('answer with the methods of the path', async () => {
    const prefer = 'code=405'
    const allowed = async (of: Call) => (await call({ ...of, prefer })).headers.get('allow')
    expect(await allowed({ token: 't0' })).toBe('GET, HEAD, POST, OPTIONS')
    const remove = { token: 't0', method: 'DELETE', path: '/plants/7' }
    expect(await allowed(remove)).toBe('DELETE, OPTIONS')
  })

  it.each([
    ['code=502', 502],
    ['code=504', 504],
    ['example=html', 200],
  ])(
    'answer with a page of a proxy, which knows nothing of the API: %s',
    async (prefer, status) => {
      const response = await call({ token: 't0', prefer })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('text/html')
      expect(response.headers.get('access-control-allow-origin')).toBe(null)
      expect(await response.text()).toContain(`<title>${status} `)
    },
  )

  it('refuse a value that the mock does not know, so that a typo is not a survived failure', async () => {
    for (const prefer of ['code=418', 'example=busy', 'plant-store=aplied-503', 'delay=1s']) {
      expect(await answerTo({ ...create('t0'), prefer })).toEqual([400, 40000, null])
    }
    const response = await call({ token: 't0', prefer: 'code=418' })
    expect((await response.json()).message).toMatch(/ 400, 401, 403, 404, .* 502, 503, 504\.$/)
  })
})

describe('Prefer: plant-store', () => {
  it.each([
    ['applied-503', 't2', 1],
    ['applied-504', 't10', 1],
    ['applied-cut', 't3', 1],
    ['cut', 't4', 0],
    ['rate-limited', 't5', 0],
  ])('%s makes a create fail once', async (outcome, token, applied) => {
    const request = create(token, outcome)
    const first = await call(request).catch(({ cause }) => cause.code)
    if (outcome.endsWith('cut')) expect(first).toBe('UND_ERR_SOCKET')
    else {
      expect(first.status).toBe(Number(outcome.slice(-3)) || 429)
      if (first.status !== 504) expect(first.headers.get('retry-after')).toBe('1')
      expect(first.headers.get('preference-applied')).toBe(`plant-store=${outcome}`)
    }
    expect(await countOf(token)).toBe(applied)
    const other = { ...request, body: '{"id":9,"name":"Ivy"}' }
    expect(await call(other).catch(() => ({ ok: false }))).toMatchObject({ ok: false })
    // The same request again.
    expect((await call(request)).status).toBe(applied ? 400 : 200)
  })

  it('cuts without a byte of a response, and sends half of a list', async () => {
    const answerOn = async (outcome: string) => {
      const client = connect(Number(new URL(mock.url).port), '127.0.0.1')
      client.write(
        `GET /plants HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer t1\r\nprefer: plant-store=${outcome}\r\n\r\n`,
      )
      return text(client)
    }
    expect(await answerOn('cut')).toBe('')
    expect(await answerOn('applied-cut')).toBe('')
    expect(await answerOn('truncated')).toMatch(/\r\n\[\{"name":"Monstera"\r\n$/)
  })

  it('leaves a request that the store refuses, and other paths', async () => {
    const prefer = 'plant-store=applied-503'
    expect(await answerTo({ ...create('t1'), prefer })).toEqual([400, 40003, null])
    expect((await call({ token: 't1', path: '/plants-2', prefer: 'code=503' })).status).toBe(404)
  })
})

describe('POST /mock/reset', () => {
  it('is for workers of Vitest, which counts them from 1', () => {
    expect(Number(process.env.VITEST_POOL_ID)).toBeGreaterThan(0)
  })

  it('takes the plants of its owner back to the seed, and no others', async () => {
    const reset = { method: 'POST', path: '/mock/reset' }
    await call({ token: 't1', method: 'DELETE', path: '/plants/8' })
    await call(create('t11'))
    const limited = { token: 't1', prefer: 'plant-store=rate-limited' }
    expect((await call(limited)).status).toBe(429)
    expect((await call({ ...limited, token: 't11' })).status).toBe(429)
    expect((await call({ ...reset, token: 't1' })).status).toBe(204)
    expect((await call({ ...limited, token: 't11' })).status).toBe(200)
    // Once begins again.
    expect((await call(limited)).status).toBe(429)
    expect([await countOf('t1'), await countOf('t11')]).toEqual([2, 1])
    expect((await call({ ...reset, token: 't11' })).status).toBe(204)
    expect(await countOf('t11')).toBe(0)
    expect(await answerTo({ ...reset, token: 'nobody' })).toEqual([401, 40102, null])
    expect((await call({ ...reset, token: 't1', method: 'GET' })).status).toBe(404)
  })
})

it('The mock keeps an idle connection for longer than most clients do', async () => {
  expect((await call({ token: 't1' })).headers.get('keep-alive')).toBe('timeout=65')
})

describe('A delay', () => {
  it('of --delay or of Prefer delays a response, as the log shows', async () => {
    const { url, nextLine, stop } = await startMock('--delay', '150-200')
    await fetch(`${url}/plants`)
    expect(await nextLine()).toMatch(/^GET \/plants 401 \d{3,}\.\d ms Send the header/)
    await fetch(`${url}/plants`, { headers: { prefer: 'delay=1200, code=503' } })
    expect(await nextLine()).toMatch(
      /^GET \/plants 503 \d{4,}\.\d ms Prefer: delay=1200, code=503 The stor/,
    )
    const headers = { authorization: 'Bearer t1', prefer: 'plant-store=truncated' }
    await expect((await fetch(`${url}/plants`, { headers })).text()).rejects.toThrow('terminated')
    expect(await nextLine()).toMatch(
      /^GET \/plants 200 \d{3,}\.\d ms Prefer: plant-store=truncated failed$/,
    )
    await fetch(`${url}/plants`, { headers: { prefer: 'delay=soon' } })
    expect(await nextLine()).toMatch(/^GET \/plants 400 \d+\.\d ms Prefer: delay must be a time/)
    await stop()
  })

  it.skipIf(process.platform === 'win32')('is waited for when the mock stops', async () => {
    const { url, stop } = await startMock('--delay', '1000')
    const answered = once(await sentTo(url), 'response')
    const stopped = stop()
    const [response] = await answered
    response.resume()
    expect(response.statusCode).toBe(200)
    expect(await stopped).toEqual(STOPPED)
  })
})

describe('Prefer: plant-store=hang', () => {
  it('leaves the client without a response, whether the request is applied or not', async () => {
    for (const [outcome, token, applied] of [
      ['hang', 't7', 0],
      ['applied-hang', 't8', 1],
    ] as const) {
      const headers = { authorization: `Bearer ${token}`, prefer: outcome }
      const sent = await sentTo(mock.url, headers)
      let isAnswered = false
      sent.on('response', () => (isAnswered = true)).on('error', () => {})
      await expect.poll(() => countOf(token)).toBe(applied)
      expect(isAnswered).toBe(false)
      sent.destroy()
    }
  })

  it.skipIf(process.platform === 'win32')('makes a stop wait for nobody', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { url, stop } = await startMock()
      const cut = once(await sentTo(url, { prefer: 'hang' }), 'response').catch(({ code }) => code)
      // Killed after the grace, it would end with a status that says so.
      expect(await stop(signal)).toEqual(STOPPED)
      expect(await cut).toBe('ECONNRESET')
    }
  })
})

/** Sends a create, of which the mock has got the beginning. */
async function sentTo(url: string, { prefer = '', ...headers }: Record<string, string> = {}) {
  const sent = request(`${url}/plants`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer t9',
      'content-type': 'application/json',
      expect: '100-continue',
      ...(prefer && { prefer: `plant-store=${prefer}` }),
      ...headers,
    },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  return sent.end(MONSTERA)
}

describe('parsePrefer', () => {
  it('reads names in any case, quoted values and parameters, and takes the first of a name', () => {
    const header =
      'x="a,code=1", Code = "503"; b="c,code=2", return=minimal, plant-store=a;b=c,CODE=400,  wait'
    expect([...parsePrefer(header)]).toEqual([
      ['x', 'a,code=1'],
      ['code', '503'],
      ['return', 'minimal'],
      ['plant-store', 'a'],
      ['wait', ''],
    ])
  })
})
