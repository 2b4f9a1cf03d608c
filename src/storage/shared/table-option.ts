import { assertOptions } from '../../lib/arguments.ts'

/** Returns the option `table`, which is the only one. */
export function tableOf(callee: string, options: { table?: string | undefined }): string {
  assertOptions(callee, options, ['table'])
  const { table = 'plants' } = options
  return table
}
