import os from 'node:os'
import { pinned } from './processes.ts'

/** What the figures were measured on. */
export function machine() {
  const cpus = os.cpus()
  return {
    cores: cpus.length,
    cpu: cpus[0]?.model ?? 'unknown',
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.arch()}`,
    node: process.version,
    pinned,
  }
}
