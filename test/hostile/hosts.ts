const NODE = 'node --expose-gc'
const BUN = 'bun --expose-gc'
const DENO = 'deno run --v8-flags=--expose-gc --allow-net --allow-env --allow-read --allow-sys'

const SERVER = 'test/hostile/server.ts'

/** Every server, by its command. */
export const hosts = {
  /** What the benchmark compares the plant store with: the same work by hand on node:http. */
  bare: `${NODE} ${SERVER} bare`,
  node: `${NODE} ${SERVER} serve`,
  node22: `test/runtimes/nodes/node_modules/node22/bin/${NODE} ${SERVER} serve`,
  node26: `test/runtimes/nodes/node_modules/node26/bin/${NODE} ${SERVER} serve`,
  handler: `${NODE} ${SERVER} handler`,
  express: `${NODE} ${SERVER} express`,
  fastify: `${NODE} ${SERVER} fastify`,
  http2: `${NODE} ${SERVER} http2`,
  bun: `${BUN} ${SERVER} serve`,
  deno: `${DENO} ${SERVER} serve`,
}
export type HostName = keyof typeof hosts

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter((host) => host !== 'bare')

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'http2', 'bun', 'deno']
