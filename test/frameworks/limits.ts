import type { KnownLimit, TestPlantAdapterOptions } from '../../src/testing.ts'

type Limits = NonNullable<TestPlantAdapterOptions['limits']>

const always = (reason: string, seen: string): KnownLimit => ({ always: reason, seen })
/** For what never reaches the store. */
const itself = (reason: string) => always(reason, 'the host has answered itself')
const ofAll = (limit: KnownLimit, rules: string): Limits =>
  Object.fromEntries(rules.split(' ').map((rule) => [rule, limit]))

const CLOSED = 'closed without a response'

/** Servers that have only the first of two fields: Node's `request.headers`. */
const FIRST_FIELD: Limits = {
  'repeated-fields': 'the first field counts',
}

const ENDED_LIST: Limits = {
  'truncated-list over HTTP/1.0': always('the connection is ended', 'looks complete'),
}

/** Frameworks on node:http that read the request themselves. */
const NODE_SOCKET: Limits = {
  'half-close': { sometimes: 'node:http ends the connection', seen: CLOSED },
  'readable-refusal': { sometimes: 'the connection is closed, or not read, too early' },
}
/** Those that send a Response. */
const NODE_SERVER: Limits = { ...ENDED_LIST, ...NODE_SOCKET }

const CHUNKS: Limits = {
  'content-length': always('each body is sent in chunks', 'The header content-length is null'),
}

/** Those with a request without Content-Type that changes something. */
const CSRF_CHECK = ofAll(
  itself('its CSRF check refuses requests without Content-Type'),
  'create-list-delete failures id-in-path isolation keep-alive media-type methods scope token-first',
)

const MALFORMED_PATH: Limits = {
  'malformed-percent-encoding': itself('it answers with 400 or 500'),
}
const WHOLE_URL: Limits = { 'absolute-target': itself('it does not route a whole URL') }
const OTHER_PAGES: Limits = { 'other-paths': itself('it has a page') }
const BUN: Limits = {
  pipelining: always('Bun closes the connection', '0 were answered'),
}
const WHOLE_REQUEST: Limits = {
  'early-refusal': always('the handler gets a whole request', 'A response did not come within'),
}

/** Full-stack frameworks that route before the app does. */
const FULL_STACK: Limits = {
  ...NODE_SERVER,
  ...FIRST_FIELD,
  ...MALFORMED_PATH,
  'other-paths': itself('it redirects'),
  ...WHOLE_URL,
}

const next: Limits = {
  ...FULL_STACK,
  ...CHUNKS,
  'verifier-request': always('the URL has the name of the server', 'The body must be'),
}
const astro: Limits = {
  ...FULL_STACK,
  ...CHUNKS,
  'list-query': itself('it answers a malformed percent-encoding with 400'),
  backpressure: always('it sends without waiting for the client', 'for a client that had stopped'),
}
const WRANGLER: Limits = {
  ...ENDED_LIST,
  ...WHOLE_REQUEST,
  // workerd itself, without the proxy, keeps this rule: test/runtimes/workerd.test.ts.
  backpressure: { sometimes: 'the proxy in front of the Worker reads ahead', seen: 'was read' },
  'readable-refusal': always('the connection is closed too early', CLOSED),
}
const LAMBDA: Limits = {
  ...WHOLE_REQUEST,
  'verifier-request': always('the URL has the name of the gateway', 'The body must be'),
  backpressure: 'a response is returned whole',
  'hang-up': 'a response is returned whole',
}
const LAMBDA_SRVX: Limits = {
  ...LAMBDA,
  'failing-wrapper': always('the gateway answers for it', 'The status is 502'),
}
const BALANCER: Limits = {
  'list-query': always('the last of two parameters counts', 'Sent: GET /plants?'),
}

/** What a host cannot do, or does itself, by the name of the app, or by this and the title of a mount. */
export const limits: Partial<Record<string, Limits>> = {
  nextjs: next,
  'nextjs (Edge)': { ...next, ...WHOLE_REQUEST },
  'nextjs-shop': next,
  sveltekit: { ...FULL_STACK, ...CSRF_CHECK },
  sveltekit2: {
    ...FULL_STACK,
    ...CHUNKS,
    ...ofAll(itself('its CSRF check refuses text/plain'), 'media-type token-first'),
  },
  'sveltekit-csrf-off': FULL_STACK,
  astro: { ...astro, ...CSRF_CHECK },
  'astro-csrf-off': astro,
  'nestjs-fastify': MALFORMED_PATH,
  express4: { 'other-paths': always('it takes // for a mount path', 'Sent: GET //plants') },
  fastify: MALFORMED_PATH,
  fastify4: MALFORMED_PATH,
  'fastify4-oldest': MALFORMED_PATH,
  hapi: { ...MALFORMED_PATH, 'media-type': itself('it refuses a malformed Content-Type') },
  polka: WHOLE_URL,
  hono: NODE_SERVER,
  'hono-bun': {
    ...BUN,
    head: always('HEAD of a stream has a length', 'The header content-length is "0"'),
  },
  elysia: BUN,
  h3: {
    ...NODE_SOCKET,
    ...MALFORMED_PATH,
    'other-paths': always('it routes a decoded path', 'Sent: GET /%70lants'),
  },
  bun: BUN,
  'bun-default': BUN,
  nitro: { ...NODE_SERVER, ...FIRST_FIELD, ...CHUNKS },
  'nitro-beta': { ...NODE_SERVER, ...CHUNKS, ...MALFORMED_PATH },
  nuxt: { ...OTHER_PAGES, ...WHOLE_URL },
  'react-router': {
    ...NODE_SERVER,
    ...FIRST_FIELD,
    ...CHUNKS,
    ...MALFORMED_PATH,
    ...WHOLE_URL,
  },
  'tanstack-start': { ...NODE_SERVER, ...CHUNKS, ...MALFORMED_PATH },
  solidstart: { ...NODE_SERVER, ...CHUNKS, ...MALFORMED_PATH, ...OTHER_PAGES },
  deno: ENDED_LIST,
  'deno-serve': ENDED_LIST,
  'cloudflare-workers': WRANGLER,
  'workers-do': WRANGLER,
  'aws-lambda': LAMBDA_SRVX,
  'aws-lambda (ALB)': { ...LAMBDA_SRVX, ...BALANCER },
  'aws-lambda-hono': LAMBDA,
  'aws-lambda-hono (ALB)': { ...LAMBDA, ...BALANCER },
  'google-cloud-functions': {
    ...WHOLE_REQUEST,
    ...MALFORMED_PATH,
    ...ofAll(itself('it parses JSON'), 'invalid-plant malformed-json media-type token-first'),
  },
}
