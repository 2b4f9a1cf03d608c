import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { d1Migration } from '../../src/storage/d1.ts'
import { PATH, ROOT } from '../runtimes/program.ts'
import { endCommand, startCommand, untilPrinted } from '../shared/command.ts'
import { skipBecause } from '../shared/skip.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'
import { checkOperations } from './check-operations.ts'

const EXAMPLES = join(ROOT, 'examples/workers')

describe.concurrent('examples/workers', () => {
  skipBecause(process.platform === 'win32' && 'the commands are for a POSIX shell')
  const folder = folderOfTests()

  it.each([
    ['D1', 'index.ts'],
    ['Durable Objects', 'durable-objects.ts'],
  ])('with %s starts with its first line, creates, lists and deletes', async (_, file) => {
    const wrangler = await startExample(file, join(folder, file))
    try {
      const [url] = await untilPrinted(wrangler, /(?<=Ready on )http:\S+/)
      await checkOperations(`${url}/plants`, 's3cret')
    } finally {
      await endCommand(wrangler)
    }
  })

  it('has the migration that d1Migration() returns', async () => {
    const sql = await readFile(join(EXAMPLES, 'migrations/0001_plants.sql'), 'utf8')
    expect(sql).toBe(`${d1Migration()}\n`)
  })
})

/** Runs the command of the first line of an example, but with ports and files of its own. */
async function startExample(file: string, state: string) {
  const [firstLine] = (await readFile(join(EXAMPLES, 'src', file), 'utf8')).split('\n')
  const command = firstLine!
    .replace('// Run: ', '')
    .replaceAll(/npx wrangler [^&]+/g, (call) => `${call.trim()} --persist-to '${state}' `)
    .replace('wrangler dev', 'wrangler dev --port 0 --inspector-port 0')
  return startCommand(['sh', '-c', command], {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      PATH,
      XDG_CONFIG_HOME: `${state}/config`,
      WRANGLER_HIDE_BANNER: 'true',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
    },
  })
}
