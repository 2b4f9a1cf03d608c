import { createServer } from 'node:http2'
import { beforeAll, expect, it } from 'vitest'
import { type TestFramework, testPlantAdapter } from '../../../src/testing.ts'
import { listen } from '../../shared/listen.ts'
import { guideFiles } from './guide-files.ts'
import { codeBlocks } from './guides.ts'
import { matches } from './session.ts'

// The commands of the guide run the tests on its adapters as they are.
const importFile = guideFiles('docs/tasks/write-an-adapter.md', (code) =>
  code.replace('stream.destroy(error as Error)', 'stream.close(2)'),
)
let toStreamHandler: (...args: unknown[]) => () => void
beforeAll(async () => {
  ;({ toStreamHandler } = await importFile('http2-adapter.mts'))
})

it('The guide to adapters shows the failure that a mistake causes', async () => {
  const shown = codeBlocks('docs/tasks/write-an-adapter.md').find(
    ({ language }) => language === 'text',
  )!
  const rules = new Map<string, () => Promise<void>>()
  const framework: TestFramework = {
    describe: (_name, define) => define(),
    it: (title, run) => rules.set(title.split(':')[0]!, run),
  }
  testPlantAdapter(
    framework,
    async (store) => {
      const { url, close } = await listen(createServer().on('stream', toStreamHandler(store)))
      return { url, stop: close }
    },
    { versions: ['2'] },
  )
  const message = await rules.get('truncated-list')!().then(String, (error: Error) => error.message)
  if (!matches(shown.code.trim(), message)) expect(message).toBe(shown.code)
})
