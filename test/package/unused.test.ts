import { expect, it } from 'vitest'
import { installedForTests, run } from '../runtimes/program.ts'

it('The code has no file and no export that nothing uses', async () => {
  const knip = installedForTests('knip/bin/knip.js')
  const args = ['--config', 'test/package/knip.json', '--no-progress']
  const unused = await run(process.execPath, [knip, ...args]).catch((error) => error)
  expect(unused).toMatchObject({ stdout: '', stderr: '' })
})
