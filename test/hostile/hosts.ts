const NODE = 'node --expose-gc'
const BUN = 'bun --expose-gc'
const DENO = 'deno run --v8-flags=--expose-gc --allow-net --allow-env --allow-read --allow-sys'

interface Host {
  readonly command: string
  /** The file of servers/ that it runs. */
  readonly server: string
  /** The host that it is compared with: the same work by hand, on the same runtime and in the same framework. */
  readonly bare: HostName
}

export type HostName =
  | 'bare'
  | 'bareExpress'
  | 'bareFastify'
  | 'bareBun'
  | 'bareDeno'
  | 'node'
  | 'node22'
  | 'node26'
  | 'handler'
  | 'express'
  | 'fastify'
  | 'http2'
  | 'bun'
  | 'deno'

/** Every host that can be attacked. */
export const hosts: Record<HostName, Host> = {
  bare: { command: NODE, server: 'bare', bare: 'bare' },
  bareExpress: { command: NODE, server: 'bare-express', bare: 'bareExpress' },
  bareFastify: { command: NODE, server: 'bare-fastify', bare: 'bareFastify' },
  bareBun: { command: BUN, server: 'bare-bun', bare: 'bareBun' },
  bareDeno: { command: DENO, server: 'bare-deno', bare: 'bareDeno' },
  node: { command: NODE, server: 'node', bare: 'bare' },
  node22: { command: `node_modules/node22/bin/${NODE}`, server: 'node', bare: 'bare' },
  node26: { command: `node_modules/node26/bin/${NODE}`, server: 'node', bare: 'bare' },
  handler: { command: NODE, server: 'handler', bare: 'bare' },
  express: { command: NODE, server: 'express', bare: 'bareExpress' },
  fastify: { command: NODE, server: 'fastify', bare: 'bareFastify' },
  http2: { command: NODE, server: 'http2', bare: 'bare' },
  bun: { command: BUN, server: 'bun', bare: 'bareBun' },
  deno: { command: DENO, server: 'deno', bare: 'bareDeno' },
}

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter(
  (host) => hosts[host].bare !== host,
)

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'http2', 'bun', 'deno']
