/** One app of this folder, as it is installed and driven. */
export interface App {
  /** What `npm run test:frameworks -- <name>` runs. */
  readonly name: string
  /** The folder in `apps/`. Default: the name. */
  readonly folder?: string
  /** The page of `docs/hosts` whose files the app consists of, beside its folder. Default: none. */
  readonly guide?: string
  /** Exact versions that replace those of the folder's package.json. */
  readonly versions?: Record<string, string>
  /** Files that are added or replaced, by the guide that shows them and their name. Default: none. */
  readonly guideFiles?: readonly string[]
  /** The package whose version is shown. Default: the name. */
  readonly versionOf?: string
  /** The name of the app in what is printed. */
  readonly title: string
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
  /** A route of the app that creates (twice), lists and deletes (twice) in its own process. Default: none. */
  readonly round?: string
  /** Whether each request has a process of its own, in which the store of the adapter tests is empty. Default: false. */
  readonly isStateless?: boolean
}

export const DEFAULT_MOUNTS: readonly Mount[] = [{ path: '/api' }]
const AT_ROOT: readonly Mount[] = [{ path: '' }]

/** Another app of the same folder. */
function variant(of: App, name: string, title: string, changes: Partial<App>): App {
  return { folder: of.name, versionOf: of.name, ...of, name, title, ...changes }
}

const sveltekit: App = {
  name: 'sveltekit',
  guide: 'sveltekit',
  title: 'SvelteKit, adapter-node',
  versionOf: '@sveltejs/kit',
}
const astro: App = { name: 'astro', guide: 'astro', title: 'Astro, Node adapter' }
const express: App = { name: 'express', guide: 'express', title: 'Express 5' }
const fastify: App = { name: 'fastify', guide: 'fastify', title: 'Fastify 5' }
const node: App = { name: 'node', title: 'Node', versionOf: 'node', mounts: AT_ROOT }
const lambda: App = {
  name: 'lambda',
  guide: 'aws-lambda',
  title: 'AWS Lambda',
  versionOf: 'hono',
  mounts: lambdaMounts('/hono'),
}
const types: App = { name: 'types', title: 'TypeScript 7', versionOf: 'typescript' }
const jose: App = { name: 'jose', title: 'jose 6' }

function lambdaMounts(framework: string): Mount[] {
  return [
    { title: 'API Gateway v1', path: `${framework}/v1/api` },
    { title: 'API Gateway v2', path: `${framework}/v2/api` },
    { title: 'ALB', path: `${framework}/alb/api` },
  ]
}

export const apps: readonly App[] = [
  {
    name: 'next',
    guide: 'nextjs',
    title: 'Next.js',
    mounts: [
      { title: 'Node', path: '/api', page: '/garden' },
      { title: 'Edge', path: '/edge' },
    ],
  },
  sveltekit,
  variant(sveltekit, 'sveltekit-csrf-off', 'SvelteKit, CSRF check off', {
    guideFiles: ['hosts/sveltekit/vite.config.js'],
  }),
  astro,
  variant(astro, 'astro-csrf-off', 'Astro, CSRF check off', {
    guideFiles: ['hosts/astro/astro.config.mjs'],
  }),
  { name: 'nest-express', title: 'NestJS, Express', versionOf: '@nestjs/core' },
  { name: 'nest-fastify', title: 'NestJS, Fastify', versionOf: '@nestjs/core' },
  express,
  variant(express, 'express4', 'Express 4', { versions: { express: '4.22.3' } }),
  fastify,
  variant(fastify, 'fastify4', 'Fastify 4', { versions: { fastify: '4.29.1' } }),
  variant(fastify, 'fastify4-oldest', 'Fastify 4, oldest', { versions: { fastify: '4.2.0' } }),
  { name: 'hapi', guide: 'hapi', title: 'Hapi', versionOf: '@hapi/hapi' },
  { name: 'polka', guide: 'polka', title: 'Polka' },
  { name: 'adonisjs', guide: 'adonisjs', title: 'AdonisJS', versionOf: '@adonisjs/core' },
  { name: 'koa', guide: 'koa', title: 'Koa' },
  { name: 'hono-node', guide: 'hono', title: 'Hono, Node', versionOf: 'hono' },
  { name: 'hono-bun', title: 'Hono, Bun', versionOf: 'hono' },
  { name: 'elysia', guide: 'elysia', title: 'Elysia, Bun' },
  { name: 'h3', guide: 'h3', title: 'h3' },
  node,
  { name: 'bun', title: 'Bun', versionOf: 'bun', mounts: AT_ROOT },
  {
    name: 'nitro',
    guide: 'nitro',
    title: 'Nitro 3',
    mounts: [{ path: '/api', round: '/round' }],
  },
  {
    name: 'nuxt',
    guide: 'nuxt',
    title: 'Nuxt',
    mounts: [{ path: '/api', page: '/', round: '/round' }],
  },
  { name: 'react-router', guide: 'react-router', title: 'React Router' },
  {
    name: 'tanstack-start',
    guide: 'tanstack-start',
    title: 'TanStack Start',
    versionOf: '@tanstack/react-start',
  },
  { name: 'solid-start', guide: 'solidstart', title: 'SolidStart', versionOf: '@solidjs/start' },
  { name: 'deno', title: 'Deno', versionOf: 'deno', mounts: AT_ROOT },
  { name: 'deno-serve', title: 'Deno, deno serve', versionOf: 'deno', mounts: AT_ROOT },
  { name: 'workers-d1', title: 'Workers, D1', versionOf: 'wrangler', mounts: AT_ROOT },
  { name: 'workers-do', title: 'Workers, Durable Objects', versionOf: 'wrangler', mounts: AT_ROOT },
  lambda,
  variant(lambda, 'lambda-srvx', 'AWS Lambda, srvx', {
    versionOf: 'srvx',
    mounts: lambdaMounts('/srvx'),
  }),
  {
    name: 'google-functions',
    guide: 'google-cloud-functions',
    title: 'Google Cloud Functions',
    versionOf: '@google-cloud/functions-framework',
  },
  {
    name: 'netlify',
    guide: 'netlify',
    title: 'Netlify functions, local',
    versionOf: '@netlify/vite-plugin',
    mounts: [{ path: '/api', isStateless: true }],
  },
  { name: 'jest', title: 'Jest' },
  { name: 'msw', title: 'MSW' },
  {
    name: 'opentelemetry',
    title: 'OpenTelemetry',
    guideFiles: ['tasks/observe/metrics.mts', 'tasks/observe/traces.mts'],
    versionOf: '@opentelemetry/api',
  },
  {
    name: 'tanstack-query',
    title: 'TanStack Query',
    guideFiles: ['tasks/tanstack-query/plant-queries.ts'],
    versionOf: '@tanstack/react-query',
  },
  types,
  variant(types, 'types6', 'TypeScript 6', { versions: { typescript: '6.0.3' } }),
  variant(types, 'types5.9', 'TypeScript 5.9', { versions: { typescript: '5.9.3' } }),
  // @types/node 26 needs TypeScript 5.6.
  variant(types, 'types5.4', 'TypeScript 5.4, @types/node 25', {
    versions: { '@types/node': '25.9.9', typescript: '5.4.5' },
  }),
  variant(types, 'types5.4-node22', 'TypeScript 5.4, @types/node 22', {
    versions: { '@types/node': '22.20.5', typescript: '5.4.5' },
  }),
  { name: 'types-wrong', title: 'Are the types wrong?', versionOf: '@arethetypeswrong/cli' },
  jose,
  variant(jose, 'jose-oldest', 'jose 6, oldest', { versions: { jose: '6.0.8' } }),
  // An app that uses neither adapter must not fail to install: npm's ERESOLVE.
  variant(node, 'old-peers', 'Beside jose 5 and Fastify 4', {
    versions: { fastify: '4.0.0', jose: '5.0.0' },
  }),
]
