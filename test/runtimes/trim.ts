// Deletes what nobody uses of the packages that npm has installed, 130 MB.
//
// npm ci runs it as `prepare` of this workspace. If the package had that script, npm would warn its users.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './program.ts'

/** Node's headers are for compiling addons. `sharp` is for images in workerd. */
const UNUSED = /[\\/](node-(bin-)?[a-z]+-\w+[\\/](include|share)|@img[\\/]sharp-[\w-]+)$/

function trim(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && UNUSED.test(path)) rmSync(path, { recursive: true })
    else if (entry.isDirectory()) trim(path)
    else if (entry.isFile() && entry.name.endsWith('.map')) rmSync(path)
  }
}

trim(join(ROOT, 'node_modules'))
