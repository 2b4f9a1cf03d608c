import { assertMethods, assertOptions } from '../../lib/arguments.ts'
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'
import type { PageQuery, StorageCall } from '../../plant-storage.ts'

/**
 * Returns the function that returns the client of a call.
 *
 * @param needs what the client must be, for the message
 * @param client for all calls, or a function that returns the one of a call, which passes the call's signal on
 * @param method what the client must have. Neon's client is a function with this method.
 * @throws TypeError if the client lacks the method; the function throws it too
 */
export function clientOf<Client extends object>(
  needs: string,
  client: Client | ((call?: StorageCall) => Client),
  method: keyof Client & string,
): (call?: StorageCall) => Client {
  if (typeof client !== 'function' || method in client) {
    assertMethods(needs, client, [method])
    return () => client as Client
  }
  return (call) => {
    const made = client(call)
    assertMethods(needs, made, [method])
    return made
  }
}

/** Returns the option `table`, which is the only one. */
export function tableOf(callee: string, options: { table?: string | undefined }): string {
  assertOptions(callee, options, ['table'])
  const { table = 'plants' } = options
  return table
}

/** Returns the size of a pool, if it is one that `maxConcurrentCalls` may have. Drivers also take text, and 0 for no limit. */
export function poolSize(size: unknown): number | undefined {
  return Number.isSafeInteger(Number(size)) && Number(size) > 0 ? Number(size) : undefined
}

/** Returns the smallest id that a page may have. Undefined if no id is greater than `after`. */
export function firstIdOf({ after }: PageQuery): bigint | undefined {
  if (after === undefined) return INT64_MIN
  return after === INT64_MAX ? undefined : after + 1n
}
