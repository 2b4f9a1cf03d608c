import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type NodeRequest, toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore, RateLimitedError } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listening } from '../shared/listening.ts'
import { useBrowser } from './browser.ts'

const chromium = useBrowser()

/** A page, and beside it an app that answers everything else. */
async function open(app: RequestListener) {
  const { url: origin } = await listening(async (request, response) => {
    const { url } = request
    if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html>')
    else if (url!.endsWith('.ts')) {
      const source = await readFile(new URL(`../..${url}`, import.meta.url), 'utf8')
      response.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(source))
    } else app(request, response)
  })
  const page = await chromium.browser.newPage()
  onTestFinished(() => page.close())
  await page.goto(origin)
  return page
}

describe('the client in a browser', () => {
  it('follows no redirect, and says that it was one', async () => {
    const got: unknown[] = []
    const { url: elsewhere } = await listening(({ method }, response) => {
      got.push(method)
      response
        .writeHead(200, {
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-allow-methods': 'DELETE',
        })
        .end('[]')
    })
    const page = await open(({ url }, response) => {
      response.writeHead(307, { location: elsewhere + url }).end()
    })
    // As text, since the test runner rewrites imports.
    const failures = await page.evaluate(`
      import('/src/client.ts').then(({ createPlantClient }) => {
        const plants = createPlantClient({ baseUrl: '/', token: 'demo' })
        const calls = [plants.create({ id: 1n, name: 'Fern' }), plants.listPage(), plants.delete(1n)]
        return Promise.all(calls.map((call) => call.catch(({ code, message }) => [code, message])))
      })`)
    const failure = [
      'redirect_refused',
      'Got a redirect from a proxy or framework, not the plant store',
    ]
    expect(failures).toEqual([failure, failure, failure])
    expect(got).toEqual([])
  })

  it('sends the cookies of its page, without a token, to a path', async () => {
    const store = createPlantStore(memoryStorage(), () => null, { basePath: '/api' })
    const caller = ({ headers }: NodeRequest) => ({ owner: headers.cookie! })
    const page = await open(toNodeHandler(store, { caller }))
    await page.evaluate(`
      document.cookie = 'user=alice'
      import('/src/client.ts').then(({ createPlantClient }) =>
        createPlantClient({ baseUrl: '/api' }).create({ id: 1n, name: 'Fern' }))`)
    const list = await store.as({ owner: 'user=alice' }).fetch(new Request('http://a/api/plants'))
    expect(await list.json()).toEqual([{ name: 'Fern' }])
  })

  it('calls a store of another origin, with a header of tracing, and sees Link and Retry-After', async () => {
    const page = await open((_, response) => response.end())
    const { origin } = new URL(page.url())
    let isLimited = false
    const verify = () => {
      if (isLimited) throw new RateLimitedError('Slow down', { retryAfterSeconds: 7 })
      return { owner: 'alice' }
    }
    const store = createPlantStore(memoryStorage(), verify, { cors: { origin } })
    const { url: baseUrl } = await listening(toNodeHandler(store))
    const call = `
      import('/src/client.ts').then(async ({ createPlantClient }) => {
        const traced = (request) => {
          request.headers.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
          return fetch(request)
        }
        const plants = createPlantClient({ baseUrl: '${baseUrl}', token: 'demo', fetch: traced, retry: 0 })
        await plants.create({ id: BigInt(Date.now()), name: 'Fern' })
        await plants.create({ id: BigInt(Date.now()) + 1n, name: 'Moss' })
        return (await plants.listPage({ limit: 1 })).next !== undefined
      }).catch(({ code, retryAfterSeconds }) => [code, retryAfterSeconds])`
    expect(await page.evaluate(call)).toBe(true)
    isLimited = true
    expect(await page.evaluate(call)).toEqual(['rate_limited', 7])
  })
})
