import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** One app of this folder, as it is installed and driven. */
export interface App {
  /** What `npm run test:frameworks -- <name>` runs. */
  readonly name: string
  /** The folder in `apps/`. Default: the name. Each folder is an app of its name. */
  readonly folder?: string
  /** The guide whose files the app consists of, too. Default: the page of the folder's name in `docs/hosts`, if there is one. */
  readonly guide?: string
  /** What replaces the end of the page's code, from where it begins, as the page says. Default: nothing. */
  readonly ending?: readonly [begin: string, ending: string]
  /** A file of the guide that replaces that of the folder. Otherwise, the folder's files replace the guide's. */
  readonly fromGuide?: string
  /** Exact versions that replace those of the folder's package.json. */
  readonly versions?: Record<string, string>
  /** The script that starts it. Default: `start`. Without such a script, `test` tests it. */
  readonly start?: string
  /** Where the store is mounted. Default: at `/api`. */
  readonly mounts?: readonly Mount[]
}

/** One place where an app has mounted a store. */
export interface Mount {
  /** Shown behind the app's name. Default: none. */
  readonly title?: string
  readonly path: string
  /** A page of the app that shows the plants. Default: none. */
  readonly page?: string
  /** A route of the app that creates (twice), lists and deletes (twice) in its own process. Default: none. */
  readonly round?: string
  /** What of the app prints `noted by` and this name for the store's requests, as its page says. Default: nothing. */
  readonly notedBy?: string
  /** Whether each request has a process of its own, in which the store of the adapter tests is empty. Default: false. */
  readonly isStateless?: boolean
}

const AT_ROOT: readonly Mount[] = [{ path: '' }]

const GATEWAYS: readonly Mount[] = [
  { title: 'API Gateway v1', path: '/v1/api' },
  { title: 'API Gateway v2', path: '/v2/api' },
  { title: 'ALB', path: '/alb/api' },
]

/** What the app of a folder has beside its files, if there is more. */
const details: Partial<Record<string, Omit<App, 'name' | 'folder'>>> = {
  astro: { mounts: [{ path: '/api', notedBy: 'onRequest' }] },
  'aws-lambda': { mounts: GATEWAYS },
  bun: { mounts: AT_ROOT },
  'cloudflare-workers': { mounts: AT_ROOT },
  deno: { mounts: AT_ROOT },
  elysia: {
    ending: [
      'app.listen(',
      `app.onRequest(({ request }) => {
        if (request.url.includes('noted')) console.log('noted by hook')
      })
      app.listen(3000)`,
    ],
    mounts: [{ path: '/api', notedBy: 'hook' }],
  },
  jest: { guide: 'docs/tasks/test.md' },
  netlify: { mounts: [{ path: '/api', isStateless: true }] },
  nextjs: {
    mounts: [
      { path: '/api', page: '/garden', notedBy: 'proxy' },
      { title: 'Edge', path: '/edge' },
    ],
  },
  nitro: { mounts: [{ path: '/api', round: '/round', notedBy: 'middleware' }] },
  node: { mounts: AT_ROOT },
  nuxt: { mounts: [{ path: '/api', page: '/', round: '/round', notedBy: 'middleware' }] },
  opentelemetry: { guide: 'docs/tasks/observe.md' },
  'react-router': { mounts: [{ path: '/api', notedBy: 'middleware' }] },
  solidstart: { mounts: [{ path: '/api', notedBy: 'onRequest' }] },
  sveltekit: { mounts: [{ path: '/api', notedBy: 'handle' }] },
  'tanstack-query': { guide: 'docs/tasks/tanstack-query.md' },
  'tanstack-start': { mounts: [{ path: '/api', notedBy: 'requestMiddleware' }] },
  'workers-do': { guide: 'docs/storages/durable-objects.md', mounts: AT_ROOT },
}

/** Other apps of the same folders. */
const variants: readonly App[] = [
  {
    name: 'nextjs-shop',
    folder: 'nextjs',
    fromGuide: 'next.config.mjs',
    mounts: [{ path: '/shop/api', page: '/shop/garden' }],
  },
  // Unlike 3.0.0, it reads no routes without the guide's configuration.
  { name: 'nitro-beta', folder: 'nitro', versions: { nitro: '3.0.260903-beta' } },
  {
    name: 'sveltekit2',
    folder: 'sveltekit',
    versions: { '@sveltejs/kit': '2.70.0', '@sveltejs/adapter-node': '5.5.7' },
  },
  { name: 'sveltekit-csrf-off', folder: 'sveltekit', fromGuide: 'vite.config.js' },
  { name: 'astro-csrf-off', folder: 'astro', fromGuide: 'astro.config.mjs' },
  { name: 'nestjs-fastify', folder: 'nestjs', start: 'start:fastify' },
  { name: 'express4', folder: 'express', versions: { express: '4.22.3' } },
  { name: 'fastify4', folder: 'fastify', versions: { fastify: '4.29.1' } },
  { name: 'fastify4-oldest', folder: 'fastify', versions: { fastify: '4.2.0' } },
  {
    name: 'hono-bun',
    folder: 'hono',
    ending: ['serve({ fetch', 'export default app'],
    start: 'start:bun',
  },
  {
    name: 'bun-default',
    folder: 'bun',
    ending: ['const { url }', 'export default store'],
    mounts: AT_ROOT,
  },
  {
    name: 'deno-serve',
    folder: 'deno',
    ending: ['const { url }', 'export default store'],
    start: 'start:serve',
    mounts: AT_ROOT,
  },
  {
    name: 'aws-lambda-hono',
    folder: 'aws-lambda',
    ending: [
      'export const handler',
      `import { Hono } from 'hono'
      import { handle } from 'hono/aws-lambda'
      export const handler = handle(new Hono().all('/api/plants/*', (c) => store.fetch(c.req.raw)))`,
    ],
    mounts: GATEWAYS,
  },
  { name: 'types6', folder: 'types', versions: { typescript: '6.0.3' } },
  { name: 'types5.9', folder: 'types', versions: { typescript: '5.9.3' } },
  // @types/node 26 needs TypeScript 5.6.
  {
    name: 'types5.4',
    folder: 'types',
    versions: { typescript: '5.4.5', '@types/node': '25.9.9' },
  },
  {
    name: 'types5.4-node22',
    folder: 'types',
    versions: { typescript: '5.4.5', '@types/node': '22.20.5' },
  },
  { name: 'jose-oldest', folder: 'jose', versions: { jose: '6.0.8' } },
  // An app that uses neither adapter must not fail to install: npm's ERESOLVE.
  {
    name: 'old-peers',
    folder: 'node',
    versions: { fastify: '4.0.0', jose: '5.0.0' },
    mounts: AT_ROOT,
  },
]

const folders = readdirSync(join(import.meta.dirname, 'apps'))
export const apps: readonly App[] = [
  ...folders.map((name) => ({ ...details[name], name })),
  ...variants,
]
