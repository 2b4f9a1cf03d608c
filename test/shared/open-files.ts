import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the files that this process has open, where the system (Linux) tells. */
export function openFiles(): string[] {
  const descriptors = '/proc/self/fd'
  if (!existsSync(descriptors)) return []
  return readdirSync(descriptors).flatMap((descriptor) => {
    try {
      return readlinkSync(join(descriptors, descriptor))
    } catch {
      return [] // The descriptor that read the directory, closed by now.
    }
  })
}
