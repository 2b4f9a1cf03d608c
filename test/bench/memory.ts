import { readFileSync, writeFileSync } from 'node:fs'

/** The resident memory of this process in MiB. Needs Linux and --expose-gc. */
export const memory = {
  /** Forgets the peak of the resident memory (proc(5), clear_refs), and answers where it is now. */
  resetPeak() {
    // The room that garbage has left would hide what comes next.
    globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    writeFileSync('/proc/self/clear_refs', '5')
    return memory.peak()
  },

  /** The most memory that was resident since. */
  peak() {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024
  },
}
