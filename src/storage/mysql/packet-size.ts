import { StorageUnavailableError } from '../../errors.ts'
import type { Execute } from './table.ts'

// The server has read smaller statements when it refuses them, and the driver gets its error.
const MIN_SIZE = 64 * 1024

/**
 * Returns an error that tells of `max_allowed_packet` if that has caused this one. The server closes the connection
 * while the driver is still sending, so the driver reports a lost connection, and would do so at each try.
 */
export async function toPacketError(
  execute: Execute,
  values: any[],
  error: unknown,
): Promise<unknown> {
  const size = values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
  if (size < MIN_SIZE || !(error instanceof StorageUnavailableError)) return error
  try {
    const [row] = await execute('SELECT @@max_allowed_packet', [])
    const [max] = Object.values(row).map(Number) as [number]
    if (size < max) return error
    const message = `The plant has ${size} bytes, and the server's max_allowed_packet is ${max}. Raise it.`
    return new Error(message, { cause: error })
  } catch {
    return error
  }
}
