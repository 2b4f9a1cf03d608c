const NODE = 'node --expose-gc'
const BUN = 'bun --expose-gc'
const DENO = 'deno run --v8-flags=--expose-gc --allow-net --allow-env --allow-read --allow-sys'

interface Host {
  readonly command: string
  /** The file of servers/ that it runs. */
  readonly server: string
  /** Whether it is compared with `bare`: the same work by hand on node:http. */
  readonly isCompared: boolean
}

/** Every host that can be attacked. */
export const hosts = {
  bare: { command: NODE, server: 'bare', isCompared: true },
  node: { command: NODE, server: 'node', isCompared: true },
  node22: { command: `node_modules/node22/bin/${NODE}`, server: 'node', isCompared: true },
  node26: { command: `node_modules/node26/bin/${NODE}`, server: 'node', isCompared: true },
  handler: { command: NODE, server: 'handler', isCompared: true },
  express: { command: NODE, server: 'express', isCompared: true },
  fastify: { command: NODE, server: 'fastify', isCompared: true },
  http2: { command: NODE, server: 'http2', isCompared: true },
  bun: { command: BUN, server: 'bun', isCompared: false },
  deno: { command: DENO, server: 'deno', isCompared: false },
} satisfies Record<string, Host>
export type HostName = keyof typeof hosts

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter((host) => host !== 'bare')

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'http2', 'bun', 'deno']
