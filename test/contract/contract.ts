import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errors } from '../../src/index.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import { type Case, cases } from './cases.ts'

/** A running host of the contract store: where its paths begin, and how it is asked. */
export interface Host {
  url: string
  /** Default: the global fetch. */
  fetch?: (request: Request) => Promise<Response>
  stop?: () => Promise<void>
}

/** Runs the whole contract against a host that serves the store of `createContractStore`. */
export function describeContract(name: string, start: () => Promise<Host>): void {
  describe(`The contract, ${name}`, () => {
    let host: Host
    beforeAll(async () => {
      host = await start()
    })
    afterAll(() => host?.stop?.())

    const send = async (request: Partial<Case> & { method: string; path: string }) => {
      const sent = toRequest(host.url, request)
      const { method, url } = sent
      const basePath = new URL(host.url).pathname.replace(/\/$/, '')
      const answer = await (host.fetch ?? fetch)(sent)
      return checkAgainstDocument({ method, url, body: request.body }, answer, basePath)
    }

    for (const [group, rows] of Object.entries(cases)) {
      describe(group, () => {
        it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
          await expectAnswer(await send(row), row)
        })
      })
    }

    describe('paths', () => {
      it.each([
        '/',
        '/plant',
        '/plants/',
        '/plants//',
        '//plants',
        '/plants/7/',
        '/plants/7/leaves',
        '/Plants',
        '/plants%2F7',
        '/%70lants',
        '/api/plants',
      ])('GET %s is 404', async (path) => {
        const response = await send({ method: 'GET', path })
        await response.body?.cancel()
        expect(response.status).toBe(404)
      })
    })

    describe('plants', () => {
      const create = (token: string, id: bigint | string, name: string, tag?: string) =>
        send({ method: 'POST', path: '/plants', token, body: newPlant(id, name, tag) })
      const list = async (token: string, query = '') => {
        const response = await send({ method: 'GET', path: `/plants${query}`, token })
        expect(response.status).toBe(200)
        return { plants: await response.json(), link: response.headers.get('link') }
      }
      const remove = (token: string, id: bigint | string) =>
        send({ method: 'DELETE', path: `/plants/${id}`, token })

      it('are listed by ascending id, without ids', async () => {
        const token = freshToken()
        const ids = [7n, 2n ** 63n - 1n, -1n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 53n, 10n, 0n]
        for (const id of ids) await create(token, id, `n${id}`, id > 0n ? 'positive' : undefined)
        const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1))
        expect((await list(token)).plants).toEqual(
          sorted.map((id) => ({ name: `n${id}`, ...(id > 0n && { tag: 'positive' }) })),
        )
      })

      it('are deleted once, and their id is free again', async () => {
        const token = freshToken()
        await create(token, 2n ** 53n, 'kept')
        await create(token, 2n ** 53n + 1n, 'deleted')
        const first = await remove(token, 2n ** 53n + 1n)
        expect(first.status).toBe(204)
        expect(await first.text()).toBe('')
        expect(first.headers.get('content-type')).toBeNull()
        await expectAnswer(await remove(token, 2n ** 53n + 1n), {
          status: 404,
          error: 'plant_not_found',
        })
        expect((await list(token)).plants).toEqual([{ name: 'kept' }])
        expect((await create(token, 2n ** 53n + 1n, 'again')).status).toBe(200)
        expect((await list(token)).plants).toEqual([{ name: 'kept' }, { name: 'again' }])
      })

      it('keep their id to themselves', async () => {
        const token = freshToken()
        await create(token, 7n, 'first')
        for (const id of ['7', '7.0', '70e-1']) {
          await expectAnswer(await create(token, id, 'second'), {
            status: 400,
            error: 'duplicate_id',
          })
        }
        expect((await list(token)).plants).toEqual([{ name: 'first' }])
      })

      it('of one owner are nothing to another', async () => {
        const [alice, bob] = [freshToken(), freshToken()]
        await create(alice, 7n, 'hers')
        expect((await create(bob, 7n, 'his')).status).toBe(200)
        await create(alice, 8n, 'hers too')
        await expectAnswer(await remove(bob, 8n), { status: 404, error: 'plant_not_found' })
        expect((await remove(bob, 7n)).status).toBe(204)
        expect((await list(alice)).plants).toEqual([{ name: 'hers' }, { name: 'hers too' }])
        expect((await list(bob)).plants).toEqual([])
      })

      it('of one id: of many concurrent creates, one gets 200 and the others 400', async () => {
        const token = freshToken()
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => create(token, 7n, `n${index}`)),
        )
        const winners = answers.filter(({ status }) => status === 200)
        expect(winners).toHaveLength(1)
        expect((await list(token)).plants).toEqual([await winners[0]!.json()])
        for (const answer of answers.filter((other) => other !== winners[0])) {
          await expectAnswer(answer, { status: 400, error: 'duplicate_id' })
        }
      })

      it('of many clients at once: each gets its own response', async () => {
        const tokens = Array.from({ length: 200 }, freshToken)
        const created = await Promise.all(tokens.map((token) => create(token, 7n, token)))
        expect(await Promise.all(created.map((response) => response.json()))).toEqual(
          tokens.map((token) => ({ name: token })),
        )
        const lists = await Promise.all(tokens.map((token) => list(token)))
        expect(lists.map(({ plants }) => plants)).toEqual(tokens.map((token) => [{ name: token }]))
      })

      it('are walked page by page along Link, each once and in order', async () => {
        const token = freshToken()
        const ids = [-3n, -1n, 0n, 1n, 5n, 2n ** 62n, 2n ** 63n - 1n]
        for (const id of ids) await create(token, id, String(id))
        for (const limit of [1, 2, 3, 6, 7, 8]) {
          const names: string[] = []
          let path: string | undefined = `/plants?limit=${limit}`
          let pages = 0
          while (path) {
            const { plants, link } = await list(token, path.slice('/plants'.length))
            expect(plants.length).toBeLessThanOrEqual(limit)
            names.push(...plants.map((plant: { name: string }) => plant.name))
            path = nextPath(path, link)
            pages++
          }
          expect(names).toEqual(ids.map(String))
          expect(pages).toBe(Math.ceil(ids.length / limit))
        }
      })

      it('limit=0 answers an empty array and leads nowhere', async () => {
        const token = freshToken()
        await create(token, 1n, 'a')
        expect(await list(token, '?limit=0')).toEqual({ plants: [], link: null })
      })

      it('HEAD answers as GET without a body', async () => {
        const token = freshToken()
        await create(token, 1n, 'a')
        await create(token, 2n, 'b')
        const get = await send({ method: 'GET', path: '/plants?limit=1', token })
        await get.text()
        const head = await send({ method: 'HEAD', path: '/plants?limit=1', token })
        expect(head.status).toBe(200)
        expect(await head.text()).toBe('')
        for (const header of ['content-type', 'link', 'cache-control']) {
          expect(head.headers.get(header)).toBe(get.headers.get(header))
        }
      })

      it('of a list that breaks off in the middle never look complete', async () => {
        // The break may overtake the head of the answer.
        const list = send({ method: 'GET', path: '/plants', token: 'owner-breaking' })
        await expect(list.then((response) => response.text())).rejects.toThrow()
      })

      it('stream for as long as the client reads', async () => {
        const hangUp = new AbortController()
        const request = new Request(`${host.url}/plants`, {
          headers: { authorization: 'Bearer owner-endless' },
          signal: hangUp.signal,
        })
        const response = await (host.fetch ?? fetch)(request)
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (text.length < 200_000) text += (await reader.read()).value
        await reader.cancel()
        hangUp.abort()
        expect(text).toMatch(/^\[\{"name":"Plant 1"\},\{"name":"Plant 2"\},/)
      })
    })

    describe('bodies', () => {
      const MiB = 1024 * 1024
      const plantOf = (bytes: number) => {
        const empty = newPlant('1', '').length
        return newPlant('1', 'a'.repeat(bytes - empty))
      }

      it('of the greatest size are taken', async () => {
        const response = await send({ method: 'POST', path: '/plants', body: plantOf(MiB) })
        expect(response.status).toBe(200)
        expect((await response.json()).name).toHaveLength(MiB - newPlant('1', '').length)
      })

      it('of one byte more are refused', async () => {
        const response = await send({ method: 'POST', path: '/plants', body: plantOf(MiB + 1) })
        await expectAnswer(response, {
          status: 413,
          error: 'body_too_large',
          message: /1048576 bytes/,
        })
      })

      it('of unannounced size are taken and refused alike', async () => {
        const streamed = (text: string) => {
          const request = toRequest(host.url, { method: 'POST', path: '/plants' })
          const chunks = text.match(/.{1,60000}/g)!.map((chunk) => new TextEncoder().encode(chunk))
          const body = Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>
          return (host.fetch ?? fetch)(
            new Request(request, {
              body,
              duplex: 'half',
              headers: {
                authorization: request.headers.get('authorization')!,
                'content-type': 'application/json',
              },
            } as RequestInit),
          )
        }
        const taken = await streamed(plantOf(MiB))
        await taken.body?.cancel()
        expect(taken.status).toBe(200)
        await expectAnswer(await streamed(plantOf(MiB + 1)), {
          status: 413,
          error: 'body_too_large',
        })
      })

      it('that are not UTF-8 are refused', async () => {
        for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
          const body = new Uint8Array([
            ...new TextEncoder().encode('{"id":1,"name":"'),
            ...bytes,
            0x22,
            0x7d,
          ])
          const response = await send({ method: 'POST', path: '/plants', body })
          await expectAnswer(response, { status: 400, error: 'malformed_json' })
        }
      })

      it('nested however deep do no harm', async () => {
        const deep = '['.repeat(300_000) + ']'.repeat(300_000)
        for (const id of ['1', '1.0']) {
          const response = await send({
            method: 'POST',
            path: '/plants',
            body: `{"id":${id},"name":"a","x":${deep}}`,
          })
          await response.text()
          expect([200, 400]).toContain(response.status)
        }
      })

      it('with an id of a million digits are refused in no time', async () => {
        for (const id of [
          `1${'0'.repeat(999_000)}`,
          `0.${'0'.repeat(999_000)}1`,
          `1.${'0'.repeat(999_000)}1`,
        ]) {
          const response = await send({ method: 'POST', path: '/plants', body: newPlant(id, 'a') })
          await expectAnswer(response, { status: 400, error: 'invalid_plant' })
        }
      })
    })
  })
}

function newPlant(id: bigint | string, name: string, tag?: string): string {
  return `{"id":${id},${JSON.stringify({ name, tag }).slice(1)}`
}

let owners = 0
const run = Math.random().toString(36).slice(2)

/** The token of an owner whom nobody else uses, in this run or another. */
export function freshToken(): string {
  return `owner-${run}-${++owners}`
}

function toRequest(
  url: string,
  {
    method,
    path,
    token = freshToken(),
    body,
    contentType,
    headers = {},
  }: Partial<Case> & { method: string; path: string },
): Request {
  const all = new Headers(headers)
  if (token !== null) all.set('authorization', token.includes(' ') ? token : `Bearer ${token}`)
  if (body !== undefined && contentType !== null)
    all.set('content-type', contentType ?? 'application/json')
  const payload =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body)
  return new Request(url + path, { method, headers: all, body: payload as BodyInit | undefined })
}

async function expectAnswer(
  response: Response,
  expected: Partial<Case> & { status: number },
): Promise<void> {
  const text = await response.text()
  expect({ status: response.status, text }).toMatchObject({ status: expected.status })
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('no-store')
  for (const [name, value] of Object.entries(expected.answers ?? {})) {
    if (value instanceof RegExp) expect(response.headers.get(name)).toMatch(value)
    else expect([name, response.headers.get(name)]).toEqual([name, value])
  }
  if (expected.json !== undefined) expect(JSON.parse(text)).toEqual(expected.json)
  if (expected.error) {
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = JSON.parse(text)
    expect(Object.keys(body)).toEqual(['error', 'message'])
    expect(body.error).toBe(errors[expected.error].error)
    expect(body.message).toMatch(expected.message ?? /^.+\.$/)
  }
}

/** Follows the `next` of a Link header as RFC 8288 says: relative to the request's URL. */
export function nextPath(path: string, link: string | null): string | undefined {
  const target = /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  const { pathname, search } = new URL(target, `http://localhost${path}`)
  return pathname + search
}
