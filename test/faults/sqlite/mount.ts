import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Why this process may not mount file systems, unless it may: root on Linux, outside most containers. */
export function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return 'mounting needs Linux'
  if (process.getuid?.() !== 0) return 'mounting needs root'
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', directory])
  if (status === 0) execFileSync('umount', [directory])
  rmdirSync(directory)
  return status === 0 ? undefined : 'this container may not mount'
}

/** Mounts a disk of that size in memory until the test ends, and returns its directory. */
export function mountDisk(kib: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-mount-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', directory])
  onTestFinished(() => {
    unmount(directory)
    rmdirSync(directory)
  })
  return directory
}

/** Mounts a file over another one until the test ends. */
export function mountFile(source: string, target: string): void {
  execFileSync('mount', ['--bind', source, target])
  onTestFinished(() => unmount(target))
}

function unmount(target: string): void {
  execFileSync('umount', ['--lazy', target])
}
