import { apps, DEFAULT_MOUNTS } from './apps.ts'
import type { Result } from './results.ts'

/** A row of README's table of hosts: what the suite has run, and how it was mounted there. */
interface HostRow {
  /** Names as README shows them, and the titles of their results. Default: the name. */
  readonly hosts: readonly (string | readonly [name: string, ...titles: string[]])[]
  readonly imports: string
  readonly mount: string
}

const HOST_ROWS: readonly HostRow[] = [
  {
    hosts: ['Node', 'Koa', 'Hapi', 'Nuxt'],
    imports: '`node`',
    mount: '`serve(store, { port })` or `createServer(toNodeHandler(store))`',
  },
  {
    hosts: [
      ['Express', 'Express 5', 'Express 4'],
      'Polka',
      'AdonisJS',
      ['NestJS', 'NestJS, Express'],
    ],
    imports: '`express`',
    mount: "`app.use('/api', toExpressHandler(store))`",
  },
  {
    hosts: [
      ['Fastify', 'Fastify 5', 'Fastify 4'],
      ['NestJS', 'NestJS, Fastify'],
    ],
    imports: '`fastify`',
    mount: "`app.register(toFastifyPlugin(store), { prefix: '/api' })`",
  },
  {
    hosts: ['Bun', 'Deno'],
    imports: '`bun`, `deno`',
    mount: '`await serve(store, { port: 3000 })`',
  },
  {
    hosts: [['Cloudflare Workers with wrangler', 'Workers, D1']],
    imports: '`workers`',
    mount: '`export default toWorker((env) => createPlantStore(…))`',
  },
  {
    hosts: [
      ['Hono', 'Hono, Node'],
      'h3',
      ['Elysia', 'Elysia, Bun'],
      ['AWS Lambda with Hono', 'AWS Lambda (API Gateway v2)'],
    ],
    imports: 'none',
    mount: "`app.mount('/api', store.fetch)`; in h3 `app.mount('/api', store)`",
  },
  {
    hosts: [
      ['Next.js', 'Next.js (Node)'],
      ['SvelteKit', 'SvelteKit, adapter-node'],
      ['Astro', 'Astro, Node adapter'],
      'React Router',
      'TanStack Start',
      'SolidStart',
      ['Nitro', 'Nitro 3'],
      ['AWS Lambda with srvx', 'AWS Lambda, srvx (API Gateway v2)'],
    ],
    imports: 'none',
    mount: "`store.fetch`, with `{ basePath: '/api' }`",
  },
]

/** README's table of hosts, with the versions that have passed. Throws if one of them has not. */
export function hostsTable(results: readonly Result[]): string {
  const versionOf = (title: string) => {
    const result = results.find((result) => result.title === title)
    if (!result) throw new Error(`README shows ${title}, which has not passed`)
    return result.version
  }
  const rows = HOST_ROWS.map(({ hosts, imports, mount }) => {
    const names = hosts.map((host) => {
      const [name, ...titles] = typeof host === 'string' ? [host, host] : host
      return `${name} ${titles.map(versionOf).join(' and ')}`
    })
    return `| ${names.join(', ')} | ${imports} | ${mount} |`
  })
  return ['| Host | Import from `plant-store/…` | Mount |', '|---|---|---|', ...rows].join('\n')
}

/** The table of everything that has passed, with the package whose version is shown. */
export function resultsTable(results: readonly Result[]): string {
  const packages = new Map(
    apps.flatMap(({ title, versionOf, mounts = DEFAULT_MOUNTS }) =>
      mounts.map((mount) => [mount.title ? `${title} (${mount.title})` : title, versionOf]),
    ),
  )
  const rows = results.map(
    ({ title, version, date }) => `| ${title} | ${packages.get(title)} ${version} | ${date} |`,
  )
  return ['| App | Version | Passed on |', '|---|---|---|', ...rows].join('\n')
}
