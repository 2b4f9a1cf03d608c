import { afterAll, describe, expect, it } from 'vitest'
import { withApiPage } from '../../adapters/cli/api-page.ts'
import { withDocuments } from '../../adapters/cli/documents.ts'
import { serve } from '../../adapters/node.ts'
import { errors } from '../../src/errors.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'

const store = createPlantStore(memoryStorage(), () => ({ owner: 'demo' }))
const server = await serve(withDocuments(withApiPage(store)), { port: 0 })
afterAll(() => server.close())

/** Swagger UI is large, and changes only when it is updated. */
const FILES = {
  '/openapi.json': 'no-cache',
  '/llms.txt': 'no-cache',
  '/docs': 'no-cache',
  '/docs/start.js': 'no-cache',
  '/docs/swagger-ui.js': 'max-age=3600',
  '/docs/swagger-ui.css': 'max-age=3600',
}

describe('withDocuments and withApiPage', () => {
  it('serve the document and take no other path from the store', async () => {
    const response = await fetch(`${server.url}/openapi.json`)
    // Some API pages take a relative address for one of their own.
    expect(await response.json()).toEqual(openApiDocument({ servers: [{ url: server.url }] }))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const summary = await (await fetch(`${server.url}/llms.txt`)).text()
    expect(summary).toMatch(/^# Plant Store\n\n> A small catalogue/)
    expect(summary).toContain('(/openapi.json)')
    expect(summary).toContain('`DELETE /plants/{id}`. Deletes a single plant')
    for (const path of ['/plants', '/plants/7', '/docs/', '//docs', '/constructor']) {
      const request = new Request(`${server.url}${path}`, {
        headers: { authorization: 'Bearer demo' },
      })
      const answer = checkAgainstDocument(request, await fetch(request))
      expect({ path, status: answer.status }).toEqual({
        path,
        status: { '/plants': 200, '/plants/7': 405 }[path] ?? 404,
      })
      await answer.text()
    }
  })

  it('send a browser from / to the page, and no program', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const open = (headers: Record<string, string>) =>
      fetch(server.url, { headers, redirect: 'manual' })
    const response = await open({ accept })
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs'])
    expect((await open({})).status).toBe(404)
  })

  it.each(Object.entries(FILES))(
    'answer GET and HEAD alone on %s, with %s',
    async (path, caching) => {
      const ask = (method: string) => fetch(server.url + path, { method })
      const get = await ask('GET')
      const head = await ask('HEAD')
      expect(head.headers.get('cache-control')).toBe(caching)
      expect(Number(head.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength)
      expect(await head.text()).toBe('')
      for (const name of ['content-type', 'cache-control', 'content-security-policy']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      }
      const options = await ask('OPTIONS')
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD'])
      const post = await ask('POST')
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect(await post.json()).toMatchObject({ error: errors.method_not_allowed.error })
    },
  )
})
