/** One app of this folder, as it is installed and driven. */
export interface App {
  /** What `npm run test:frameworks -- <name>` runs. */
  readonly name: string
  /** The folder in `apps/`. Default: the name. */
  readonly folder?: string
  /** The section whose files the app consists of, beside its folder: a page of `adapters/`, and a heading. Default: none. */
  readonly section?: readonly [page: string, heading: string]
  /** Exact versions that replace those of the folder's package.json. */
  readonly versions?: Record<string, string>
  /** Files that are added or replaced, as a guide shows them. Default: none. */
  readonly guideFiles?: readonly string[]
  /** The package whose version is shown. */
  readonly versionOf: string
  /** The name of the app in the table of results. */
  readonly title: string
  /** Its page that drives the store in a browser, beside the suite. Default: none. */
  readonly page?: 'client' | 'api-page'
  /** Where the store is mounted. Only apps with a `start` script have them. Default: one, at `/api`. */
  readonly mounts?: readonly Mount[]
}

/** One place where an app has mounted a store. */
export interface Mount {
  /** Shown behind the app's title. Default: none. */
  readonly title?: string
  readonly path: string
  /** A page of the app that shows the plants. Default: none. */
  readonly page?: string
  /** Whether each request has a process of its own, in which the store of the adapter tests is empty. Default: false. */
  readonly isStateless?: boolean
}

export const DEFAULT_MOUNTS: readonly Mount[] = [{ path: '/api' }]

export const apps: readonly App[] = [
  {
    name: 'next',
    section: ['FRAMEWORKS.md', 'Next.js'],
    title: 'Next.js',
    versionOf: 'next',
    mounts: [
      { title: 'Node', path: '/api', page: '/garden' },
      { title: 'Edge', path: '/edge' },
    ],
  },
  {
    name: 'sveltekit',
    section: ['FRAMEWORKS.md', 'SvelteKit'],
    title: 'SvelteKit, adapter-node',
    versionOf: '@sveltejs/kit',
  },
  {
    name: 'sveltekit-csrf-off',
    section: ['FRAMEWORKS.md', 'SvelteKit'],
    title: 'SvelteKit, CSRF check off',
    folder: 'sveltekit',
    guideFiles: ['vite.config.js'],
    versionOf: '@sveltejs/kit',
  },
  {
    name: 'astro',
    section: ['FRAMEWORKS.md', 'Astro'],
    title: 'Astro, Node adapter',
    versionOf: 'astro',
  },
  {
    name: 'astro-csrf-off',
    section: ['FRAMEWORKS.md', 'Astro'],
    title: 'Astro, CSRF check off',
    folder: 'astro',
    guideFiles: ['astro.config.mjs'],
    versionOf: 'astro',
  },
  { name: 'nest-express', title: 'NestJS, Express', versionOf: '@nestjs/core' },
  { name: 'nest-fastify', title: 'NestJS, Fastify', versionOf: '@nestjs/core' },
  { name: 'express', section: ['README.md', 'Express'], title: 'Express 5', versionOf: 'express' },
  {
    name: 'express4',
    section: ['README.md', 'Express'],
    title: 'Express 4',
    folder: 'express',
    versions: { express: '4.22.3' },
    versionOf: 'express',
  },
  { name: 'fastify', section: ['README.md', 'Fastify'], title: 'Fastify 5', versionOf: 'fastify' },
  {
    name: 'fastify4',
    section: ['README.md', 'Fastify'],
    title: 'Fastify 4',
    folder: 'fastify',
    versions: { fastify: '4.29.1' },
    versionOf: 'fastify',
  },
  {
    name: 'fastify4-oldest',
    section: ['README.md', 'Fastify'],
    title: 'Fastify 4, oldest',
    folder: 'fastify',
    versions: { fastify: '4.2.0' },
    versionOf: 'fastify',
  },
  { name: 'hapi', section: ['README.md', 'Hapi'], title: 'Hapi', versionOf: '@hapi/hapi' },
  { name: 'polka', section: ['README.md', 'Polka'], title: 'Polka', versionOf: 'polka' },
  {
    name: 'adonisjs',
    section: ['README.md', 'AdonisJS'],
    title: 'AdonisJS',
    versionOf: '@adonisjs/core',
  },
  { name: 'koa', section: ['README.md', 'Koa'], title: 'Koa', versionOf: 'koa' },
  { name: 'hono-node', section: ['README.md', 'Hono'], title: 'Hono, Node', versionOf: 'hono' },
  { name: 'hono-bun', section: ['README.md', 'Hono'], title: 'Hono, Bun', versionOf: 'hono' },
  { name: 'elysia', section: ['README.md', 'Elysia'], title: 'Elysia, Bun', versionOf: 'elysia' },
  { name: 'h3', section: ['README.md', 'h3'], title: 'h3', versionOf: 'h3' },
  { name: 'node', title: 'Node', versionOf: 'node', mounts: [{ path: '' }] },
  { name: 'bun', title: 'Bun', versionOf: 'bun', mounts: [{ path: '' }] },
  { name: 'nitro', section: ['FRAMEWORKS.md', 'Nitro'], title: 'Nitro 3', versionOf: 'nitro' },
  { name: 'nuxt', section: ['FRAMEWORKS.md', 'Nuxt'], title: 'Nuxt', versionOf: 'nuxt' },
  {
    name: 'react-router',
    section: ['FRAMEWORKS.md', 'React Router'],
    title: 'React Router',
    versionOf: 'react-router',
  },
  {
    name: 'tanstack-start',
    section: ['FRAMEWORKS.md', 'TanStack Start'],
    title: 'TanStack Start',
    versionOf: '@tanstack/react-start',
  },
  {
    name: 'solid-start',
    section: ['FRAMEWORKS.md', 'SolidStart'],
    title: 'SolidStart',
    versionOf: '@solidjs/start',
  },
  { name: 'deno', title: 'Deno', versionOf: 'deno', mounts: [{ path: '' }] },
  { name: 'deno-serve', title: 'Deno, deno serve', versionOf: 'deno', mounts: [{ path: '' }] },
  { name: 'workers-d1', title: 'Workers, D1', versionOf: 'wrangler', mounts: [{ path: '' }] },
  {
    name: 'workers-do',
    title: 'Workers, Durable Objects',
    versionOf: 'wrangler',
    mounts: [{ path: '' }],
  },
  {
    name: 'lambda',
    section: ['SERVERLESS.md', 'AWS Lambda'],
    title: 'AWS Lambda',
    versionOf: 'hono',
    mounts: [
      { title: 'API Gateway v1', path: '/hono/v1/api' },
      { title: 'API Gateway v2', path: '/hono/v2/api' },
      { title: 'ALB', path: '/hono/alb/api' },
    ],
  },
  {
    name: 'lambda-srvx',
    section: ['SERVERLESS.md', 'AWS Lambda'],
    title: 'AWS Lambda, srvx',
    folder: 'lambda',
    versionOf: 'srvx',
    mounts: [
      { title: 'API Gateway v1', path: '/srvx/v1/api' },
      { title: 'API Gateway v2', path: '/srvx/v2/api' },
      { title: 'ALB', path: '/srvx/alb/api' },
    ],
  },
  {
    name: 'google-functions',
    section: ['SERVERLESS.md', 'Google Cloud Functions'],
    title: 'Google Cloud Functions',
    versionOf: '@google-cloud/functions-framework',
  },
  {
    name: 'netlify',
    section: ['SERVERLESS.md', 'Netlify'],
    title: 'Netlify functions, local',
    versionOf: '@netlify/vite-plugin',
    mounts: [{ path: '/api', isStateless: true }],
  },
  { name: 'vite-client', title: 'Vite, client in Chromium', versionOf: 'vite', page: 'client' },
  { name: 'jest', title: 'Jest', versionOf: 'jest' },
  { name: 'msw', title: 'MSW', versionOf: 'msw' },
  {
    name: 'opentelemetry',
    title: 'OpenTelemetry',
    guideFiles: ['metrics.ts', 'traces.ts'],
    versionOf: '@opentelemetry/api',
  },
  { name: 'sentry', title: 'Sentry, Fastify and Hono', versionOf: '@sentry/node' },
  {
    name: 'tanstack-query',
    title: 'TanStack Query',
    guideFiles: ['retry.ts', 'plant-queries.ts', 'garden.tsx'],
    versionOf: '@tanstack/react-query',
  },
  { name: 'types', title: 'TypeScript 7', versionOf: 'typescript' },
  {
    name: 'types6',
    title: 'TypeScript 6',
    folder: 'types',
    versions: { typescript: '6.0.3' },
    versionOf: 'typescript',
  },
  {
    name: 'types5.9',
    title: 'TypeScript 5.9',
    folder: 'types',
    versions: { typescript: '5.9.3' },
    versionOf: 'typescript',
  },
  {
    name: 'types5.4',
    title: 'TypeScript 5.4, @types/node 25',
    folder: 'types',
    // @types/node 26 needs TypeScript 5.6.
    versions: { '@types/node': '25.9.9', typescript: '5.4.5' },
    versionOf: 'typescript',
  },
  {
    name: 'types5.4-node22',
    title: 'TypeScript 5.4, @types/node 22',
    folder: 'types',
    versions: { '@types/node': '22.20.5', typescript: '5.4.5' },
    versionOf: 'typescript',
  },
  {
    name: 'types-wrong',
    title: 'Are the types wrong?',
    versionOf: '@arethetypeswrong/cli',
  },
  { name: 'jose', title: 'jose 6', versionOf: 'jose' },
  {
    name: 'jose-oldest',
    title: 'jose 6, oldest',
    folder: 'jose',
    versions: { jose: '6.0.8' },
    versionOf: 'jose',
  },
  {
    name: 'api-page',
    title: 'Swagger UI',
    page: 'api-page',
    versionOf: 'swagger-ui-dist',
    mounts: [{ path: '' }],
  },
  {
    name: 'api-page-oldest',
    title: 'Swagger UI, oldest',
    folder: 'api-page',
    page: 'api-page',
    versions: { 'swagger-ui-dist': '5.0.0' },
    versionOf: 'swagger-ui-dist',
    mounts: [{ path: '' }],
  },
  {
    // An app that uses neither adapter must not fail to install: npm's ERESOLVE.
    name: 'old-peers',
    title: 'Beside jose 5 and Fastify 4',
    folder: 'node',
    versions: { fastify: '4.0.0', jose: '5.0.0' },
    versionOf: 'node',
    mounts: [{ path: '' }],
  },
]
