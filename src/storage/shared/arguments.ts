import { assertOptions } from '../../lib/check-options.ts'
import { kindOf } from '../../lib/kind-of.ts'

/** Returns the option `table`, which is the only one. */
export function tableOf(callee: string, options: { table?: string | undefined }): string {
  assertOptions(callee, options, ['table'])
  const { table = 'plants' } = options
  return table
}

/**
 * Throws a TypeError unless the client has this method. It is not shown in the message: a connection string may
 * contain a password.
 */
export function assertClient(client: unknown, method: string, needs: string): void {
  if (typeof (client as any)?.[method] === 'function') return
  throw new TypeError(`${needs}; got ${kindOf(client)}`)
}
