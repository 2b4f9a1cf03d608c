import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folderOfTests } from '../../shared/temporary-folder.ts'
import { filesOf, ROOT } from './guides.ts'

/**
 * Writes the files that a guide names into a folder like a user's project, until the tests of the file end. `npm run
 * build` must have run.
 *
 * @param edit changes the code of each file
 * @returns imports one of them
 */
export function guideFiles(
  guide: string,
  edit = (code: string) => code,
): (file: string) => Promise<any> {
  const folder = folderOfTests()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/plant-store'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [file, code] of filesOf(guide)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), edit(code))
  }
  return (file) => import(join(folder, file))
}
