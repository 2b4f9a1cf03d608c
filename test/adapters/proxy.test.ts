import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { freePort } from '../shared/free-port.ts'
import { listening } from '../shared/listening.ts'
import { NO_NGINX, startNginx as startServer } from '../shared/nginx.ts'

const proxies: [name: string, start: typeof startProxy, missing: string | false][] = [
  ['a proxy', startProxy, false],
  ['nginx', startNginx, NO_NGINX],
]

describe('Link', () => {
  for (const [name, start, missing] of proxies) {
    it(`walks the list behind ${name} that strips a prefix`, async ({ skip }) => {
      if (missing) skip(missing)
      const storage = memoryStorage()
      for (let id = 1n; id <= 7n; id++) storage.create('alice', { id, name: `Plant ${id}` })
      const store = createPlantStore(storage, () => ({ owner: 'alice' }))
      const proxy = await start((await listening(toNodeHandler(store))).url)

      const names: string[] = []
      let url: string | undefined = `${proxy}/garden/api/plants?limit=3`
      while (url) {
        const response: Response = await fetch(url, { headers: { authorization: 'Bearer s3cret' } })
        expect(response.status).toBe(200)
        for (const plant of await response.json()) names.push(plant.name)
        const link: string | undefined = /^<(.+)>; rel="next"$/.exec(
          response.headers.get('link') ?? '',
        )?.[1]
        url = link && new URL(link, url).href
      }
      expect(names).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `Plant ${n}`))

      const created = await fetch(`${proxy}/garden/api/plants`, {
        method: 'POST',
        headers: { authorization: 'Bearer s3cret', 'content-type': 'application/json' },
        body: '{"id":9007199254740993,"name":"Monstera"}',
      })
      expect(created.status).toBe(200)
    })
  }
})

async function startProxy(upstream: string): Promise<string> {
  const proxy = await listening((message, response) => {
    const { method, url, headers } = message
    const target = upstream + url!.replace(/^\/garden\/api/, '')
    const outgoing = request(target, { method, headers }, (incoming) => {
      response.writeHead(incoming.statusCode!, incoming.headers)
      incoming.pipe(response)
    })
    message.pipe(outgoing)
  })
  return proxy.url
}

async function startNginx(upstream: string): Promise<string> {
  const port = await freePort()
  const location = `location /garden/api/ { proxy_pass ${upstream}/; }`
  await startServer(`server { listen 127.0.0.1:${port}; ${location} }`, port)
  return `http://127.0.0.1:${port}`
}
