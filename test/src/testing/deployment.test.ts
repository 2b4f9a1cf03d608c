import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { type MemoryStorage, memoryStorage } from '../../../src/storage/memory.ts'
import {
  checkDeployment,
  FINDING_COUNT,
  type Finding,
} from '../../../src/testing/deployment/check.ts'
import { freePort } from '../../shared/free-port.ts'
import { listening } from '../../shared/listening.ts'
import { NO_NGINX, startNginx } from '../../shared/nginx.ts'

const TOKENS: [string, string] = ['token-of-alice', 'token-of-bob']
const plants = {
  alice: [-(2n ** 63n), -7n, 0n, 1n, 7n, 2n ** 63n - 1n].map((id) => ({ id, name: `Fern ${id}` })),
  bob: [{ id: 7n, name: 'Moss', tag: 'dry' }],
}

/** Starts a store that has plants. */
async function startStore() {
  const storage = memoryStorage(plants)
  const tokens = staticTokens({ [TOKENS[0]]: 'alice', [TOKENS[1]]: 'bob' })
  const { port } = await listening(toNodeHandler(createPlantStore(storage, tokens)))
  return { port, storage }
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

/** Starts nginx in front of a store. It strips the mount path from what was sent. */
async function startNginxFor(storePort: number): Promise<string> {
  const port = await freePort()
  const http = `map $request_uri $sent_path { ~^/api(?<rest>/.*)$ $rest; }
  server {
    listen 127.0.0.1:${port};
    location /api/ {
      proxy_pass http://127.0.0.1:${storePort}$sent_path;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      client_max_body_size 1m;
    }
  }`
  onTestFinished(await startNginx(http, port))
  return `http://127.0.0.1:${port}/api`
}

/** The decisions of a proxy that passes everything on as it is. */
const faithful = {
  path: (path: string, _method: string) => path,
  headers: (headers: IncomingMessage['headers']) => headers,
  answer: (_message: IncomingMessage, _response: ServerResponse): boolean => false,
  send: (message: IncomingMessage, outgoing: ClientRequest): unknown => message.pipe(outgoing),
  status: (status: number) => status,
  responseHeaders: (headers: IncomingMessage['headers']) => headers,
  pipe: (incoming: IncomingMessage, response: ServerResponse, _path: string): unknown =>
    incoming.once('error', () => response.destroy()).pipe(response),
}

async function startProxy(port: number, wrong: Partial<typeof faithful> = {}): Promise<string> {
  const decide = { ...faithful, ...wrong }
  const { url } = await listening((message, response) => {
    if (decide.answer(message, response)) return
    const { method = '' } = message
    const path = decide.path(message.url!, method)
    const headers = decide.headers(message.headers)
    const options = { port, method, path, headers }
    const outgoing = request(options, (incoming) => {
      response.writeHead(
        decide.status(incoming.statusCode!),
        decide.responseHeaders(incoming.headers),
      )
      decide.pipe(incoming, response, message.url!)
    })
    outgoing.once('error', () => response.destroy())
    decide.send(message, outgoing)
  })
  return url
}

/** Answers some requests itself. */
const answering = (
  isIts: (message: IncomingMessage) => boolean,
  status: number,
  headers = {},
): Partial<typeof faithful> => ({
  answer(message, response) {
    if (!isIts(message)) return false
    message.resume()
    response.writeHead(status, headers).end()
    return true
  },
})

const upToOneMiB =
  (stop: (response: ServerResponse) => void): typeof faithful.pipe =>
  async (incoming, response) => {
    let length = 0
    for await (const chunk of incoming) {
      length += chunk.length
      if (length > 2 ** 20) return stop(response)
      response.write(chunk)
    }
    response.end()
  }

const cached = new Map<string, { status: number; headers: any; body: Buffer }>()

interface Fault extends Partial<typeof faithful> {
  /** What the cause must name. */
  readonly cause: RegExp
  /** Whether plants stay behind, as the failure then says. Default: false. */
  readonly isLeavingPlants?: boolean
}

/** Proxies with one fault each, by the rule that shows it and the fault. */
const faults: Record<string, Fault> = {
  'reachable: strips Authorization': {
    cause: /strips the Authorization header/,
    headers: ({ authorization: _, ...headers }) => headers,
  },
  'other-paths: joins slashes': {
    cause: /joins slashes/,
    path: (path) => path.replace(/\/{2,}/g, '/'),
  },
  'id-in-path: decodes %2F': {
    cause: /decodes %2F/,
    path: (path) => path.replaceAll('%2F', '/'),
  },
  'other-paths: decodes the path': {
    cause: /decodes or normalizes the path/,
    path: (path) => path.replace('%70', 'p'),
  },
  'body-limit: answers 413 itself': {
    cause: /answers 413 itself/,
    ...answering(({ headers }) => Number(headers['content-length']) > 50_000, 413),
  },
  'link: makes Link absolute': {
    cause: /rewrites or drops the Link header/,
    responseHeaders: ({ link, ...headers }) =>
      link ? { ...headers, link: `${link}`.replace('<', '<http://internal/plants') } : headers,
  },
  'long-list: ends a response after 1 MiB': {
    cause: /truncates a long response without a sign/,
    pipe: upToOneMiB((response) => response.end()),
  },
  'long-list: breaks off a response after 1 MiB': {
    cause: /cuts long responses/,
    pipe: upToOneMiB((response) => response.destroy()),
  },
  'create-list-delete: caches lists by their URL': {
    cause: /a cache on the way/,
    answer({ method, url }, response) {
      const hit = method === 'GET' && cached.get(url!)
      if (hit) response.writeHead(hit.status, hit.headers).end(hit.body)
      return Boolean(hit)
    },
    async pipe(incoming, response, url) {
      const body = await buffer(incoming)
      const { statusCode: status = 0, headers } = incoming
      if (status === 200 && url === '/plants') cached.set(url, { status, headers, body })
      response.end(body)
    },
  },
  'reachable: compresses what nobody has asked to be': {
    cause: /compresses responses/,
    responseHeaders: ({ 'content-length': _, ...headers }) => ({
      ...headers,
      'content-encoding': 'gzip',
    }),
    pipe: async (incoming, response) => response.end(gzipSync(await buffer(incoming))),
  },
  'options: answers OPTIONS itself': {
    cause: /answers OPTIONS itself/,
    ...answering(({ method }) => method === 'OPTIONS', 204, { 'access-control-allow-origin': '*' }),
  },
  'reachable: refuses DELETE': {
    cause: /refuses DELETE \(it calls itself wall\)/,
    ...answering(({ method }) => method === 'DELETE', 403, { server: 'wall' }),
  },
  'removal: rounds ids, as one that parses JSON and writes it again': {
    cause: /which rounds ids/,
    isLeavingPlants: true,
    async send(message, outgoing) {
      const rounded = (body: string) => body.replace(/(?<="id":)-?\d+/g, (id) => `${Number(id)}`)
      const body = await text(message).then(rounded, () => undefined)
      if (body === undefined || outgoing.headersSent) {
        outgoing.destroy()
        return
      }
      outgoing.removeHeader('transfer-encoding')
      outgoing.setHeader('content-length', Buffer.byteLength(body))
      outgoing.end(body)
    },
  },
  'reachable: answers with a page in place of a 404': {
    cause: /a page in place of a 404/,
    status: (status) => (status === 404 ? 200 : status),
  },
  'create: sets Cache-Control': {
    cause: /replaces the header cache-control/,
    responseHeaders: (headers) => ({ ...headers, 'cache-control': 'public, max-age=60' }),
  },
  'other-paths: redirects a slash at the end': {
    cause: /redirects \/plants\//,
    ...answering(({ url = '' }) => /.\/$/.test(url), 308),
  },
}

// Far more than a busy machine needs. One after the other, since many at once make each other slow.
describe('checkDeployment', { timeout: 600_000 }, () => {
  const ruleOf = (name: string) => name.split(':')[0]!
  it.each(Object.entries(faults))(
    'names the cause of a proxy that breaks %s',
    async (name, fault) => {
      const { port, storage } = await startStore()
      const findings = await check(await startProxy(port, fault), TOKENS, { until: ruleOf(name) })
      const found = findings.at(-1)
      expect(found?.rule).toBe(ruleOf(name))
      expect(found?.cause).toMatch(fault.cause)
      for (const token of TOKENS) expect(JSON.stringify(findings)).not.toContain(token)
      if (fault.isLeavingPlants) expect(found?.failure).toContain('These plants may be left: ')
      else expectOnlyOthers(storage)
    },
  )

  it('finds nothing wrong through nginx', async ({ skip }) => {
    if (NO_NGINX) skip(NO_NGINX)
    const { port, storage } = await startStore()
    const findings = await check(await startNginxFor(port))
    expect(findings.filter(({ failure }) => failure !== undefined)).toEqual([])
    expect(findings).toHaveLength(FINDING_COUNT)
    expectOnlyOthers(storage)
  })

  it('finds nothing wrong through a proxy among many plants, and says which rules need more than one token', async () => {
    const { port, storage } = await startStore()
    const many = Array.from({ length: 100 }, (_, index) => BigInt(index + 1) - 2n ** 63n)
    for (const id of many) storage.create('alice', { id, name: 'Moss' })
    const findings = await check(await startProxy(port), [TOKENS[0]])
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
    const { port, storage } = await startStore()
    const seen = new Set<string>()
    const url = await startProxy(port, {
      answer({ method, url = '' }, response) {
        const fails = method === 'DELETE' && !seen.has(url) && seen.add(url).size % 5 === 0
        if (fails && seen.size % 2 === 0) response.destroy()
        else if (fails) response.writeHead(502).end()
        return fails
      },
    })
    const findings = await check(url)
    expect(findings.at(-1)).toEqual({ rule: 'removal', says: expect.any(String) })
    expectOnlyOthers(storage)
  })

  it('removes what it has created when it is interrupted, and says that it was', async () => {
    const { port, storage } = await startStore()
    const interruption = new AbortController()
    const url = await startProxy(port, {
      answer({ url = '' }) {
        if (url.includes('limit=7')) interruption.abort()
        return false
      },
    })
    const findings = await check(url, TOKENS, interruption)
    expect(findings.at(-2)?.skipped).toBe('the check was interrupted')
    expect(findings.filter(({ failure }) => failure !== undefined)).toEqual([])
    expectOnlyOthers(storage)
  })

  it.each([
    ['nothing listens', 'http://127.0.0.1:1', TOKENS[0], /nothing answers at this URL/],
    ['the URL has the path of the list', '/plants', TOKENS[0], /check the mount path/],
    ['the token is wrong', '', 'a', /does not know the token/],
  ])('says why it stops where %s', async (_, path, token, cause) => {
    const { port } = await startStore()
    const url = path.startsWith('http') ? path : `http://127.0.0.1:${port}${path}`
    const [first, ...others] = await check(url, [token])
    expect(first?.cause).toMatch(cause)
    // A word that has the short token in it stays whole.
    if (token === 'a') expect(first?.failure).toMatch(/ Bearer …\nCame: status 401\n/)
    expect(new Set(others.map(({ skipped }) => skipped))).toEqual(
      new Set(['reachable is broken', undefined]),
    )
  })
})
