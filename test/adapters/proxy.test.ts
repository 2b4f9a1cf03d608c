import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { freePort } from '../shared/free-port.ts'
import { listening } from '../shared/listening.ts'

const NGINX = '/usr/sbin/nginx'

const proxies: [name: string, start: (upstream: string) => Promise<string>, isMissing: boolean][] =
  [
    ['a proxy', startProxy, false],
    ['nginx', startNginx, !existsSync(NGINX)],
  ]

describe('Link', () => {
  for (const [name, start, isMissing] of proxies) {
    it(`walks the list behind ${name} that strips a prefix`, async ({ skip }) => {
      skip(isMissing, `this machine has no ${NGINX}`)
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
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-nginx-'))
  const port = await freePort()
  const config = join(directory, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; pid ${directory}/pid; error_log stderr; worker_processes 1; events {}
     http {
       access_log off;
       client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
       fastcgi_temp_path ${directory}/a; uwsgi_temp_path ${directory}/b; scgi_temp_path ${directory}/c;
       server {
         listen 127.0.0.1:${port};
         location /garden/api/ { proxy_pass ${upstream}/; }
       }
     }`,
  )
  const nginx = spawn(NGINX, ['-c', config, '-p', directory], { stdio: 'ignore' })
  const exited = new Promise((resolve) => nginx.once('exit', resolve))
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await exited
    await rm(directory, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(url), { timeout: 20_000 })
  return url
}
