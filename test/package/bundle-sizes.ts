import { join } from 'node:path'
import { installedForTests, ROOT, run } from '../runtimes/program.ts'

export interface BundleSize {
  name: string
  /** In bytes. */
  size: number
  /** Whether it is within the limit of size-limit.mjs. */
  passed: boolean
}

/** Measures what size-limit.mjs names. */
export async function bundleSizes(): Promise<BundleSize[]> {
  const sizeLimit = installedForTests('size-limit/bin.js')
  const args = [sizeLimit, '--config', 'package/size-limit.mjs', '--json']
  // size-limit finds its plugins in the package.json of its working directory.
  const measured = run(process.execPath, args, { cwd: join(ROOT, 'test') })
  const { stdout } = await measured.catch((error) => {
    // It also fails, after its report, when a limit is exceeded.
    if (error.stdout) return error
    throw error
  })
  return JSON.parse(stdout)
}
