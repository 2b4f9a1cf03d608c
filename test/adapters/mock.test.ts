import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePrefer } from '../../adapters/cli/mock/prefer.ts'
import { createPlantClient } from '../../src/client.ts'
import { type ErrorName, errors } from '../../src/errors.ts'
import { killServers, type RunningServer, startServer } from '../shared/server-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'plant-store-mock-'))
const seed = join(directory, 'seed.json')
writeFileSync(seed, '{"t1":[{"id":7,"name":"Monstera"},{"id":8,"name":"Ficus"}]}')

/** A mock in which each token t0, t1, … opens the plants of an owner of the same name. */
function startMock(...args: string[]): Promise<RunningServer> {
  const command = [process.execPath, resolve(import.meta.dirname, '../../adapters/cli.ts')]
  const tokens = Array.from({ length: 20 }, (_, index) => ['--token', `t${index}=t${index}`])
  const all = ['--mock', '--seed', seed, '--cors', ...tokens.flat(), ...args]
  return startServer({ command, directory }, { args: all })
}

let mock: RunningServer
beforeAll(async () => {
  mock = await startMock()
})
afterAll(() => {
  killServers()
  rmSync(directory, { recursive: true })
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
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
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
    expect(await response.json()).toEqual({ error, message })
    expect(response.headers.get('preference-applied')).toBe(`example=${name}`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
    const header = { 401: 'www-authenticate', 405: 'allow', 429: 'retry-after', 503: 'retry-after' }
    const expected = (header as Record<number, string>)[status]
    if (expected) expect(response.headers.get(expected)).toBeTruthy()
  })

  it('answer with the first error of a status that the operation has, and apply nothing', async () => {
    const prefer = 'code=400'
    expect(await answerTo({ ...create('t0'), prefer })).toEqual([400, 40001, prefer])
    expect(await answerTo({ token: 't0', prefer })).toEqual([400, 40004, prefer])
    const remove = { token: 't1', method: 'DELETE', path: '/plants/7' }
    expect(await answerTo({ ...remove, prefer })).toEqual([400, 40006, prefer])
    const both = { ...remove, prefer: 'code=503, example=timeout' }
    expect(await answerTo(both)).toEqual([503, 50303, 'example=timeout'])
    expect([await countOf('t0'), await countOf('t1')]).toEqual([0, 2])
    expect(await answerTo({ token: 't0', prefer: 'code=200' })).toEqual([200, [], null])
  })

  it('refuse a value that the mock does not know, so that a typo is not a survived failure', async () => {
    const outcomes = ['plant-store=aplied-503', 'plant-store=truncated']
    for (const prefer of ['code=418', 'example=busy', 'code=500, example=timeout', ...outcomes]) {
      expect(await answerTo({ ...create('t0'), prefer })).toEqual([400, 40000, null])
    }
  })
})

describe('Prefer: plant-store', () => {
  it.each([
    ['applied-503', 't2', 1],
    ['applied-cut', 't3', 1],
    ['cut', 't4', 0],
    ['rate-limited', 't5', 0],
  ])('%s lets a create fail once', async (outcome, token, applied) => {
    const request = create(token, outcome)
    const first = await call(request).catch(({ cause }) => cause.code)
    if (outcome.endsWith('cut')) expect(first).toBe('UND_ERR_SOCKET')
    else {
      expect(first.status).toBe(outcome === 'rate-limited' ? 429 : 503)
      expect(first.headers.get('retry-after')).toBe('1')
      expect(first.headers.get('preference-applied')).toBe(`plant-store=${outcome}`)
    }
    expect(await countOf(token)).toBe(applied)
    const other = { ...request, body: '{"id":9,"name":"Ivy"}' }
    expect(
      await call(other).then(
        ({ ok }) => ok,
        () => false,
      ),
    ).toBe(false)
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
    expect((await call({ token: 't1', path: '/livez', prefer: 'code=503' })).status).toBe(200)
  })
})

describe('POST /mock/reset', () => {
  it('takes the plants of its owner back to the seed, and no others', async () => {
    const reset = { method: 'POST', path: '/mock/reset' }
    await call({ token: 't1', method: 'DELETE', path: '/plants/8' })
    await call(create('t6'))
    const limited = { token: 't1', prefer: 'plant-store=rate-limited' }
    expect((await call(limited)).status).toBe(429)
    expect((await call({ ...reset, token: 't1' })).status).toBe(204)
    // Once begins again.
    expect((await call(limited)).status).toBe(429)
    expect([await countOf('t1'), await countOf('t6')]).toEqual([2, 1])
    expect((await call({ ...reset, token: 't6' })).status).toBe(204)
    expect(await countOf('t6')).toBe(0)
    expect(await answerTo({ ...reset, token: 'nobody' })).toEqual([401, 40102, null])
    expect((await call({ ...reset, token: 't1', method: 'GET' })).status).toBe(405)
  })
})

describe('--delay', () => {
  it('lets each response wait', async () => {
    const { url, stop } = await startMock('--delay', '200-300')
    const start = performance.now()
    await fetch(`${url}/plants`)
    expect(performance.now() - start).toBeGreaterThanOrEqual(200)
    await stop()
  })
})

describe('--chaos', () => {
  it('fails a share of the requests, the same with the same seed', async () => {
    const runs: string[][] = []
    for (const chaosSeed of ['1', '1', '2']) {
      const { url, stop } = await startMock('--chaos', '30%', '--chaos-seed', chaosSeed)
      const list = async () => {
        const response = await fetch(`${url}/plants`, { headers: { authorization: 'Bearer t1' } })
        await response.text()
        return String(response.status)
      }
      const results: string[] = []
      for (let i = 0; i < 100; i++) results.push(await list().catch(({ message }) => message))
      runs.push(results)
      await stop()
    }
    const failed = runs[0]!.filter((result) => result !== '200')
    expect(failed.length).toBeGreaterThan(15)
    expect(failed.length).toBeLessThan(45)
    expect(new Set(failed)).toEqual(new Set(['503', '429', 'fetch failed', 'terminated']))
    expect(runs[1]).toEqual(runs[0])
    expect(runs[2]).not.toEqual(runs[0])
  })

  it('is survived by the client, though creates are carried out whose response is lost', async () => {
    const { url, stop } = await startMock('--chaos', '30%', '--chaos-seed', '5')
    const plants = Array.from({ length: 20 }, (_, id) => ({ id: BigInt(id), name: `Fern ${id}` }))
    const client = createPlantClient({ baseUrl: url, token: 't7', retry: 5 })
    const created = await Promise.allSettled(plants.map((plant) => client.create(plant)))
    const failures = created.flatMap((result) => ('reason' in result ? result.reason : []))
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures) {
      // Its plant is there, by an earlier try.
      expect(failure).toMatchObject({ code: 'duplicate_id', mayHaveBeenApplied: true })
    }
    const names: string[] = []
    for await (const { name } of client.list({ limit: 8 })) names.push(name)
    expect(names).toEqual(plants.map(({ name }) => name))
    await Promise.all(plants.map(({ id }) => client.delete(id)))
    expect(await client.listPage()).toEqual({ plants: [] })
    await stop()
  })
})

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
