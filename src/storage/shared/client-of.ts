import { assertMethods } from '../../lib/arguments.ts'
import type { StorageCall } from '../../plant-storage.ts'

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
