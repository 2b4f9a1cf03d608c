/** One app of this folder, as it is installed and driven. */
export interface App {
  /** What `npm run test:frameworks -- <name>` runs. */
  readonly name: string
  /**
   * The folder in `apps/`. If `docs/hosts` has a page of that name, the app consists of the page's files too. Default:
   * the name.
   */
  readonly folder?: string
  /** What replaces the end of the page's code, from where it begins, as the page says. Default: nothing. */
  readonly ending?: readonly [begin: string, ending: string]
  /** Files that are added or replaced, by the guide that shows them and their name. Default: none. */
  readonly guideFiles?: readonly string[]
  /** Exact versions that replace those of the folder's package.json. */
  readonly versions?: Record<string, string>
  /** The package whose version is shown. Default: that of the folder's name. */
  readonly versionOf?: string
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
  /** Whether each request has a process of its own, in which the store of the adapter tests is empty. Default: false. */
  readonly isStateless?: boolean
}

const AT_ROOT: readonly Mount[] = [{ path: '' }]

const lambdaMounts = (framework: string): Mount[] => [
  { title: 'API Gateway v1', path: `${framework}/v1/api` },
  { title: 'API Gateway v2', path: `${framework}/v2/api` },
  { title: 'ALB', path: `${framework}/alb/api` },
]

function typesWith(versions: Record<string, string>) {
  return { folder: 'types', versionOf: 'typescript', versions }
}

export const apps: readonly App[] = [
  {
    name: 'nextjs',
    versionOf: 'next',
    mounts: [
      { path: '/api', page: '/garden' },
      { title: 'Edge', path: '/edge' },
    ],
  },
  { name: 'sveltekit', versionOf: '@sveltejs/kit' },
  {
    name: 'sveltekit-csrf-off',
    folder: 'sveltekit',
    guideFiles: ['hosts/sveltekit/vite.config.js'],
    versionOf: '@sveltejs/kit',
  },
  { name: 'astro' },
  { name: 'astro-csrf-off', folder: 'astro', guideFiles: ['hosts/astro/astro.config.mjs'] },
  { name: 'nestjs', versionOf: '@nestjs/core' },
  { name: 'nestjs-fastify', folder: 'nestjs', start: 'start:fastify', versionOf: '@nestjs/core' },
  { name: 'express' },
  { name: 'express4', folder: 'express', versions: { express: '4.22.3' } },
  { name: 'fastify' },
  { name: 'fastify4', folder: 'fastify', versions: { fastify: '4.29.1' } },
  { name: 'fastify4-oldest', folder: 'fastify', versions: { fastify: '4.2.0' } },
  { name: 'hapi', versionOf: '@hapi/hapi' },
  { name: 'polka' },
  { name: 'adonisjs', versionOf: '@adonisjs/core' },
  { name: 'koa' },
  { name: 'hono' },
  {
    name: 'hono-bun',
    folder: 'hono',
    ending: ['serve({ fetch', 'export default app'],
    start: 'start:bun',
  },
  { name: 'elysia' },
  { name: 'h3' },
  { name: 'node', mounts: AT_ROOT },
  { name: 'bun', mounts: AT_ROOT },
  { name: 'deno', mounts: AT_ROOT },
  {
    name: 'deno-serve',
    folder: 'deno',
    ending: ['const { url }', 'export default store'],
    start: 'start:serve',
    mounts: AT_ROOT,
  },
  { name: 'nitro', mounts: [{ path: '/api', round: '/round' }] },
  { name: 'nuxt', mounts: [{ path: '/api', page: '/', round: '/round' }] },
  { name: 'react-router' },
  { name: 'tanstack-start', versionOf: '@tanstack/react-start' },
  { name: 'solidstart', versionOf: '@solidjs/start' },
  { name: 'cloudflare-workers', versionOf: 'wrangler', mounts: AT_ROOT },
  { name: 'workers-do', versionOf: 'wrangler', mounts: AT_ROOT },
  { name: 'aws-lambda', versionOf: 'srvx', mounts: lambdaMounts('/srvx') },
  {
    name: 'aws-lambda-hono',
    folder: 'aws-lambda',
    versionOf: 'hono',
    mounts: lambdaMounts('/hono'),
  },
  { name: 'google-cloud-functions', versionOf: '@google-cloud/functions-framework' },
  {
    name: 'netlify',
    versionOf: '@netlify/vite-plugin',
    mounts: [{ path: '/api', isStateless: true }],
  },
  { name: 'jest' },
  { name: 'msw' },
  {
    name: 'opentelemetry',
    guideFiles: ['tasks/observe/metrics.mts', 'tasks/observe/traces.mts'],
    versionOf: '@opentelemetry/api',
  },
  {
    name: 'tanstack-query',
    guideFiles: ['tasks/tanstack-query/plant-queries.ts'],
    versionOf: '@tanstack/react-query',
  },
  { name: 'types', versionOf: 'typescript' },
  { name: 'types6', ...typesWith({ typescript: '6.0.3' }) },
  { name: 'types5.9', ...typesWith({ typescript: '5.9.3' }) },
  // @types/node 26 needs TypeScript 5.6.
  { name: 'types5.4', ...typesWith({ typescript: '5.4.5', '@types/node': '25.9.9' }) },
  { name: 'types5.4-node22', ...typesWith({ typescript: '5.4.5', '@types/node': '22.20.5' }) },
  { name: 'types-wrong', versionOf: '@arethetypeswrong/cli' },
  { name: 'jose' },
  { name: 'jose-oldest', folder: 'jose', versions: { jose: '6.0.8' } },
  // An app that uses neither adapter must not fail to install: npm's ERESOLVE.
  {
    name: 'old-peers',
    folder: 'node',
    versions: { fastify: '4.0.0', jose: '5.0.0' },
    mounts: AT_ROOT,
  },
]
