import { existsSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { codeBlocks } from '../docs/guides/guides.ts'
import { commandsOf } from '../docs/guides/session.ts'
import { run } from '../runtimes/program.ts'
import { skipBecause } from '../shared/skip.ts'
import { folderOfTest } from '../shared/temporary-folder.ts'

const missing = ['openapi-generator-cli', 'go'].filter(
  (tool) => !process.env.PATH!.split(delimiter).some((folder) => existsSync(join(folder, tool))),
)

describe('The Go client that the guide generates', () => {
  skipBecause(missing.length > 0 && `needs ${missing}`)

  it('compiles, and creates, lists and deletes with exact ids', async () => {
    const { command } = codeBlocks('docs/tasks/openapi.md')
      .flatMap(({ language, code }) => commandsOf(language, code))
      .find(({ command }) => command.startsWith('openapi-generator-cli '))!
    const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
    await using server = await serve(store, { port: 0, signals: false })
    const directory = folderOfTest()
    await writeFile(join(directory, 'openapi.json'), JSON.stringify(openApiDocument()))
    const [program, ...args] = command.split(' ')
    // npm's version of the generator writes its settings to INIT_CWD, which `npm test` has set to the
    // repository.
    const settings = { INIT_CWD: directory, PWD: directory }
    await run(program!, args, { cwd: directory, env: { ...process.env, ...settings } })
    const client = join(directory, 'plants')
    await copyFile(join(import.meta.dirname, 'plants_test.go'), join(client, 'plants_test.go'))
    const env = { ...process.env, PLANTS_URL: server.url }
    const test = run('go', ['test', '.'], { cwd: client, env })
    await test.catch(({ stdout, stderr }) => expect.fail(stdout + stderr))
  }, 240_000)
})
