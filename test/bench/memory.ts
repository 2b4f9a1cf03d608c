import { readFileSync, writeFileSync } from 'node:fs'

const MIB = 1024 * 1024

/** What the process itself knows of its memory, in MiB. Needs Linux and --expose-gc. */
export const memory = {
  /** What is in use after a collection of all garbage. */
  heap() {
    globalThis.gc!()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / MIB
  },

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
