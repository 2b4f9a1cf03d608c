import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Reply } from '../../../src/adapter.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore, type PlantStoreOptions } from '../../../src/index.ts'
import { type MemoryStorage, memoryStorage } from '../../../src/storage/memory.ts'
import {
  checkDeployment,
  FINDING_COUNT,
  type Finding,
} from '../../../src/testing/deployment/check.ts'
import { tls } from '../../adapters/node/tls.ts'
import { freePort } from '../../shared/free-port.ts'
import { listening } from '../../shared/listening.ts'
import { NO_NGINX, startNginx } from '../../shared/nginx.ts'
import {
  adapterOf,
  answering,
  type BrokenAdapter,
  bodies,
  fields,
  headers,
  lists,
  replies,
  sending,
  urls,
} from './adapter-of.ts'

const TOKENS: [string, string] = ['token-of-alice', 'token-of-bob']
const plants = {
  alice: [-(2n ** 63n), -7n, 0n, 1n, 7n, 2n ** 63n - 1n].map((id) => ({ id, name: `Fern ${id}` })),
  bob: [{ id: 7n, name: 'Moss', tag: 'dry' }],
}

/** Starts a store that has plants, and what is on the way to it. */
async function startStore(mistake?: BrokenAdapter, options?: PlantStoreOptions) {
  const storage = memoryStorage(plants)
  const tokens = staticTokens({ [TOKENS[0]]: 'alice', [TOKENS[1]]: 'bob' })
  const store = createPlantStore(storage, tokens, options)
  const { url } = await listening(adapterOf(mistake)(store))
  return { url, storage }
}

function expectOnlyOthers(storage: MemoryStorage): void {
  for (const [owner, expected] of Object.entries(plants)) {
    expect(storage.list(owner, { limit: 10_000 })).toEqual(expected)
  }
}

/** Checks a store, to the end or up to a rule. */
async function check(
  url: string,
  tokens: [string, ...string[]] = TOKENS,
  { signal, until }: { signal?: AbortSignal; until?: string | undefined } = {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of checkDeployment(new URL(url), tokens, signal)) {
    findings.push(finding)
    if (finding.rule === until) break
  }
  return findings
}

const upToOneMiB = (stop: (response: ServerResponse) => void) =>
  lists((response, part) => {
    if (Number(response.socket?.bytesWritten) < 2 ** 20) response.write(part)
    else stop(response)
  })

let cached: Reply | undefined

/** What stands in front of a store, by the rule that it breaks and what it does, and the cause that must be named. */
const faults: Record<string, [mistake: BrokenAdapter, cause: RegExp]> = {
  'reachable: strips Authorization': [
    fields((name, value) => (name === 'authorization' ? null : value)),
    /strips the Authorization header/,
  ],
  'create: drops Content-Type': [
    fields((name, value) => (name === 'content-type' ? null : value)),
    /drops or replaces the Content-Type/,
  ],
  'create: limits the rate of requests': [
    answering(({ method }) => method === 'POST', 429),
    /a rate limit refuses/,
  ],
  'create: is without its store': [
    answering(({ method }) => method === 'POST', 502, { via: '1.1 wall' }),
    /can't reach the store, or gives up on it \(it calls itself 1\.1 wall\)/,
  ],
  'create: asks for a login': [
    answering(({ method }) => method === 'POST', 403, { location: `/login?for=${TOKENS[0]}` }),
    /something in front of the store has answered itself/,
  ],
  'isolation: takes all callers for one': [
    fields((name, value) => (name === 'authorization' ? `Bearer ${TOKENS[0]}` : value)),
    /both tokens open the plants of one owner/,
  ],
  'other-paths: joins slashes': [urls((url) => url.replace(/\/{2,}/g, '/')), /joins slashes/],
  'id-in-path: decodes %2F': [urls((url) => url.replaceAll('%2F', '/')), /decodes %2F/],
  'other-paths: decodes the path': [
    urls((url) => url.replace('%70', 'p')),
    /decodes or normalizes the path/,
  ],
  'body-limit: answers 413 itself': [
    answering(({ headers }) => Number(headers.get('content-length')) > 50_000, 413),
    /answers 413 itself/,
  ],
  'link: makes Link absolute': [
    headers(({ link, ...others }) =>
      link ? { ...others, link: link.replace('<', '<http://internal/plants') } : others,
    ),
    /rewrites or drops the Link header/,
  ],
  'long-list: ends a response after 1 MiB': [
    upToOneMiB((response) => response.end()),
    /truncates a long response without a sign/,
  ],
  'long-list: breaks off a response after 1 MiB': [
    upToOneMiB((response) => response.destroy()),
    /cuts long responses/,
  ],
  'create-list-delete: caches lists by their URL': [
    {
      async handle(request, { store }) {
        const isList = request.method === 'GET' && request.url === '/plants'
        const reply = (isList && cached) || (await store.handle(request))
        if (isList && reply?.status === 200) cached = reply
        return reply
      },
    },
    /a cache on the way/,
  ],
  'reachable: compresses what nobody has asked to be': [
    sending(({ status, headers, body }, { response }) => {
      const compressed = { ...headers, 'content-encoding': 'gzip' }
      response.writeHead(status, compressed).end(gzipSync(body as string))
    }),
    /compresses responses/,
  ],
  'options: answers OPTIONS itself': [
    answering(({ method }) => method === 'OPTIONS', 204, { 'access-control-allow-origin': '*' }),
    /answers OPTIONS itself/,
  ],
  'reachable: refuses DELETE': [
    answering(({ method }) => method === 'DELETE', 403, { server: 'wall' }),
    /refuses DELETE \(it calls itself wall\)/,
  ],
  'removal: rounds ids, as one that parses JSON and writes it again': [
    bodies((text) => text.replace(/(?<="id":)-?\d+/g, (id) => `${Number(id)}`)),
    /which rounds ids/,
  ],
  'reachable: answers with a page in place of a 404': [
    replies(({ status }) => ({ status: status === 404 ? 200 : status })),
    /a page in place of a 404/,
  ],
  'create: sets Cache-Control': [
    headers((headers) => ({ ...headers, 'cache-control': 'public, max-age=60' })),
    /replaces the header cache-control/,
  ],
  'other-paths: redirects a slash at the end': [
    answering(({ url }) => /.\/$/.test(url), 308),
    /redirects \/plants\//,
  ],
}

// Far more than a busy machine needs. One after the other, since many at once make each other slow.
describe('checkDeployment', { timeout: 600_000 }, () => {
  it.each(Object.entries(faults))(
    'names the cause of what breaks %s',
    async (name, [mistake, cause]) => {
      const [rule] = name.split(':')
      const { url, storage } = await startStore(mistake)
      const findings = await check(url, TOKENS, { until: rule })
      const found = findings.at(-1)
      expect(found?.rule).toBe(rule)
      expect(found?.cause).toMatch(cause)
      for (const token of TOKENS) expect(JSON.stringify(findings)).not.toContain(token)
      if (found?.rule !== 'removal') expectOnlyOthers(storage)
      else expect(found.failure).toContain('These plants may be left: ')
    },
  )

  it('finds nothing wrong through nginx', async ({ skip }) => {
    if (NO_NGINX) skip(NO_NGINX)
    const { url, storage } = await startStore()
    const port = await freePort()
    // It strips the mount path from what was sent.
    const http = `map $request_uri $sent_path { ~^/api(?<rest>/.*)$ $rest; }
    server {
      listen 127.0.0.1:${port};
      location /api/ {
        proxy_pass ${url}$sent_path;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        client_max_body_size 1m;
      }
    }`
    onTestFinished(await startNginx(http, port))
    const findings = await check(`http://127.0.0.1:${port}/api`)
    expect(findings.filter(({ failure }) => failure !== undefined)).toEqual([])
    expect(findings).toHaveLength(FINDING_COUNT)
    expectOnlyOthers(storage)
  })

  it('finds nothing wrong among many plants that may be large, and says which rules need more than one token', async () => {
    const { url, storage } = await startStore({}, { maxBodyBytes: 2 ** 20 })
    const many = Array.from({ length: 100 }, (_, index) => BigInt(index + 1) - 2n ** 63n)
    for (const id of many) storage.create('alice', { id, name: 'Moss' })
    const findings = await check(url, [TOKENS[0]])
    expect(findings.filter(({ failure }) => failure !== undefined)).toEqual([])
    expect(findings).toHaveLength(FINDING_COUNT)
    expect(findings.filter(({ skipped }) => skipped).map(({ rule }) => rule)).toEqual([
      ...['repeated-fields', 'scope', 'verifier-request', 'caller', 'failures', 'failing-wrapper'],
      ...['isolation', 'slow-verifier', 'truncated-list', 'backpressure', 'hang-up'],
      ...['early-refusal', 'pipelining', 'half-close'],
    ])
    for (const id of many) expect(storage.delete('alice', id)).toBe(true)
    expectOnlyOthers(storage)
  })

  it('removes what it has created through a gateway that fails or hangs up now and then', async () => {
    const seen = new Set<string>()
    const { url, storage } = await startStore({
      handle(request, { store, response }) {
        const { method, url } = request
        const fails = method === 'DELETE' && !seen.has(url) && seen.add(url).size % 5 === 0
        if (!fails) return store.handle(request)
        const status = [429, 502, 503, 504][(seen.size / 5) % 5]
        if (!status) response.destroy()
        return status ? { status, headers: {}, body: '' } : undefined
      },
    })
    const findings = await check(url)
    expect(findings.at(-1)).toEqual({ rule: 'removal', says: expect.any(String) })
    expectOnlyOthers(storage)
  })

  it('creates nothing more when its plants cannot be removed', async () => {
    const { url } = await startStore(
      replies(({ status }) => ({ status: status === 204 ? 403 : status })),
    )
    const [left, ...before] = (await check(url)).reverse()
    expect(left?.failure).toContain('These plants may be left: ')
    expect(left?.cause).toMatch(/something refuses DELETE/)
    expect(before[0]?.skipped).toBe('the plants of the rules before could not be removed')
  })

  it('removes what it has created when it is interrupted, and says that it was', async () => {
    const interruption = new AbortController()
    const { url, storage } = await startStore(
      urls((url) => {
        if (url.includes('limit=7')) interruption.abort()
        return url
      }),
    )
    const findings = await check(url, TOKENS, interruption)
    expect(findings.at(-2)?.skipped).toBe('the check was interrupted')
    expect(findings.filter(({ failure }) => failure !== undefined)).toEqual([])
    expectOnlyOthers(storage)
  })

  it('says that a certificate is not right', async () => {
    const { url } = await listening(createServer(tls, () => {}))
    const [first] = await check(url)
    expect(first?.cause).toBe('the TLS certificate is not right for this URL')
  })

  it.each<[when: string, at: (url: string) => string, token: string, cause: RegExp]>([
    ['nothing listens', () => 'http://127.0.0.1:1', TOKENS[1], /nothing answers at this URL/],
    ['it has no TLS', (url) => url.replace(/^http/, '$&s'), TOKENS[1], /does not speak TLS/],
    ['the URL has the path of the list', (url) => `${url}/plants`, TOKENS[1], /the mount path/],
    ['the second token is wrong', (url) => url, 'a', /does not know the token/],
  ])('says why it stops where %s', async (_, at, token, cause) => {
    const { url } = await startStore()
    const [first, ...others] = await check(at(url), [TOKENS[0], token])
    expect(first?.cause).toMatch(cause)
    // A word that has the short token in it stays whole.
    if (token === 'a') expect(first?.failure).toMatch(/ Bearer …\nCame: status 401\n/)
    expect(new Set(others.map(({ skipped }) => skipped))).toEqual(
      new Set(['reachable is broken', undefined]),
    )
  })
})
