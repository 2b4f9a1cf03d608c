import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { codeBlocks } from '../docs/guides/guides.ts'
import { commandsOf } from '../docs/guides/session.ts'
import { skipBecause } from '../shared/skip.ts'

const run = promisify(execFile)

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
    const server = await serve(store, { port: 0, signals: false })
    const directory = await mkdtemp(join(tmpdir(), 'plant-store-go-'))
    try {
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
    } finally {
      await server.close()
      await rm(directory, { recursive: true })
    }
  }, 240_000)
})
