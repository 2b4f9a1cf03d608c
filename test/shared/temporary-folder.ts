import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Makes an empty folder, and removes it when the test is finished. */
export const folderOfTest = () => temporaryFolder(onTestFinished)

/** Makes an empty folder, and removes it after the tests of the file, or of the `describe` that it is called in. */
export const folderOfTests = () => temporaryFolder(afterAll)

function temporaryFolder(atEnd: (remove: () => void) => void): string {
  // macOS has its temporary directory behind a symbolic link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plant-store-')))
  // A process that ends late may still be writing.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}
