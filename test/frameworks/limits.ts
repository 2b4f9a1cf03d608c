import type { KnownLimit, TestPlantAdapterOptions } from '../../src/testing.ts'

type Limits = NonNullable<TestPlantAdapterOptions['limits']>

const always = (reason: string, seen: string): KnownLimit => ({ always: reason, seen })
/** For what never reaches the store. */
const itself = (reason: string) => always(reason, 'the host has answered itself')

const CLOSED = 'closed without a response'
const LATE = 'A response did not come within'

/** Servers that have only the first of two fields: Node's `request.headers`. */
const FIRST_FIELD: Limits = {
  'repeated-authorization': 'the first field counts',
  'repeated-content-type': always('the first field counts', 'The status is 200'),
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
  'content-length': always('each body is sent in chunks', 'Content-Length must be'),
}

const CSRF = itself('its CSRF check refuses requests without Content-Type')
const CSRF_CHECK: Limits = {
  'create-list-delete': CSRF,
  failures: CSRF,
  'id-in-path': CSRF,
  isolation: CSRF,
  'keep-alive': CSRF,
  'media-type': CSRF,
  methods: CSRF,
  scope: CSRF,
  'token-first': CSRF,
}

const MALFORMED_PATH: Limits = {
  'malformed-percent-encoding': itself('it answers with 400 or 500'),
}
const WHOLE_URL: Limits = { 'absolute-target': itself('it does not route a whole URL') }
const OTHER_PATHS: Limits = { 'other-paths': itself('it redirects') }
const OTHER_PAGES: Limits = {
  'mount-path': itself('it has a page'),
  'other-paths': itself('it has a page'),
}
const DECODED_PATH: Limits = {
  'other-paths': always('it routes a decoded path', 'Sent: GET /%70lants'),
}
const BUN: Limits = {
  pipelining: always('Bun closes the connection', '0 were answered'),
}
const WHOLE = 'the handler gets a whole request'
const WHOLE_REQUEST: Limits = {
  'early-refusal': always(WHOLE, LATE),
}

/** Full-stack frameworks that route before the app does. */
const FULL_STACK: Limits = {
  ...NODE_SERVER,
  ...FIRST_FIELD,
  ...MALFORMED_PATH,
  ...OTHER_PATHS,
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

/** What a host cannot do, or does itself, by the title of its results. */
export const limits: Partial<Record<string, Limits>> = {
  'Next.js (Node)': next,
  'Next.js (Edge)': { ...next, ...WHOLE_REQUEST },
  'SvelteKit, adapter-node': { ...FULL_STACK, ...CSRF_CHECK },
  'SvelteKit, CSRF check off': FULL_STACK,
  'Astro, Node adapter': { ...astro, ...CSRF_CHECK },
  'Astro, CSRF check off': astro,
  'NestJS, Fastify': MALFORMED_PATH,
  'Express 4': { 'other-paths': always('it takes // for a mount path', 'Sent: GET //plants') },
  'Fastify 5': MALFORMED_PATH,
  'Fastify 4': MALFORMED_PATH,
  'Fastify 4, oldest': MALFORMED_PATH,
  Hapi: { ...MALFORMED_PATH, 'media-type': itself('it refuses a malformed Content-Type') },
  Polka: WHOLE_URL,
  'Hono, Node': NODE_SERVER,
  'Hono, Bun': {
    ...BUN,
    head: always('HEAD of a stream has a length', 'The header content-length is "0"'),
  },
  'Elysia, Bun': BUN,
  h3: { ...NODE_SOCKET, ...DECODED_PATH, ...MALFORMED_PATH },
  Bun: BUN,
  'Nitro 3': { ...NODE_SERVER, ...FIRST_FIELD, ...CHUNKS },
  Nuxt: { ...OTHER_PAGES, ...WHOLE_URL },
  'React Router': {
    ...NODE_SERVER,
    ...FIRST_FIELD,
    ...CHUNKS,
    ...MALFORMED_PATH,
    ...WHOLE_URL,
  },
  'TanStack Start': { ...NODE_SERVER, ...CHUNKS, ...MALFORMED_PATH },
  SolidStart: { ...NODE_SERVER, ...CHUNKS, ...MALFORMED_PATH, ...OTHER_PAGES },
  Deno: ENDED_LIST,
  'Deno, deno serve': ENDED_LIST,
  'Workers, D1': WRANGLER,
  'Workers, Durable Objects': WRANGLER,
  'AWS Lambda (API Gateway v1)': LAMBDA,
  'AWS Lambda (API Gateway v2)': LAMBDA,
  'AWS Lambda (ALB)': { ...LAMBDA, ...BALANCER },
  'AWS Lambda, srvx (API Gateway v1)': LAMBDA_SRVX,
  'AWS Lambda, srvx (API Gateway v2)': LAMBDA_SRVX,
  'AWS Lambda, srvx (ALB)': { ...LAMBDA_SRVX, ...BALANCER },
  'Google Cloud Functions': {
    ...WHOLE_REQUEST,
    ...MALFORMED_PATH,
    'invalid-plant': itself('it parses JSON'),
    'malformed-json': itself('it parses JSON'),
    'media-type': itself('it parses JSON'),
    'token-first': itself('it parses JSON'),
  },
}
