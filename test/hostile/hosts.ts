const NODE = 'node --expose-gc'
const BUN = 'bun --expose-gc'
const DENO = 'deno run --v8-flags=--expose-gc --allow-net --allow-env --allow-read --allow-sys'

/** Every host that can be attacked: its command, and the file of servers/ that it runs. */
export const hosts = {
  /** What the plant store is compared with: the same work by hand on node:http. */
  bare: [NODE, 'bare'],
  node: [NODE, 'node'],
  node22: [`node_modules/node22/bin/${NODE}`, 'node'],
  node26: [`node_modules/node26/bin/${NODE}`, 'node'],
  handler: [NODE, 'handler'],
  express: [NODE, 'express'],
  fastify: [NODE, 'fastify'],
  http2: [NODE, 'http2'],
  bun: [BUN, 'bun'],
  deno: [DENO, 'deno'],
} satisfies Record<string, [command: string, server: string]>
export type HostName = keyof typeof hosts

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter((host) => host !== 'bare')

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'http2', 'bun', 'deno']
