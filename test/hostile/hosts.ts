import { http1, http2, type Protocol } from './protocols.ts'

const NODE = 'node --expose-gc'
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
  bun: `bun --expose-gc ${SERVER} serve`,
  deno: `deno run --allow-all --v8-flags=--expose-gc ${SERVER} serve`,
}
export type HostName = keyof typeof hosts

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter((host) => host !== 'bare')

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'http2', 'bun', 'deno']

export function protocolOf(host: HostName): Protocol {
  return host === 'http2' ? http2 : http1
}
