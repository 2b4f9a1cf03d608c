import { rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TMPFS = 0x01021994

const directories: string[] = []
process.on('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** Makes a directory on a real disk, since a commit on a tmpfs costs nothing. It goes with this process. */
export async function dataDirectory(): Promise<string> {
  const { type } = await statfs(tmpdir())
  const parent =
    type === TMPFS ? fileURLToPath(new URL('../../node_modules', import.meta.url)) : tmpdir()
  const directory = await mkdtemp(join(parent, 'plant-store-bench-'))
  directories.push(directory)
  return directory
}
