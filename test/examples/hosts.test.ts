import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, startProgram } from '../runtimes/program.ts'
import { listening } from '../shared/listening.ts'
import { folderOfTest } from '../shared/temporary-folder.ts'
import { checkOperations } from './check-operations.ts'

describe.each([
  ['bun.ts', '/plants'],
  ['deno.ts', '/plants'],
  ['express.ts', '/api/v1/plants'],
  ['fastify.ts', '/api/v1/plants'],
  ['hono.ts', '/api/v1/plants'],
  ['node-server.ts', '/plants'],
])('examples/%s', (file, path) => {
  it('runs by the command that it gives, creates, lists and deletes', async () => {
    const env = { PORT: '0', PLANT_STORE_DB: join(folderOfTest(), 'plants.db') }
    const { url, stop } = await startProgram(await commandOf(file), env)
    onTestFinished(stop)
    await checkOperations(url + path, 'demo-token')
    for (const other of file === 'node-server.ts' ? ['/livez', '/openapi.json'] : []) {
      expect([other, (await fetch(url + other)).status]).toEqual([other, 200])
    }
  })

  it('says so where its port is taken', async () => {
    const { port } = await listening(createServer())
    const env = { PORT: String(port), PLANT_STORE_DB: ':memory:' }
    await expect(startProgram(await commandOf(file), env)).rejects.toThrow(/EADDRINUSE|AddrInUse/)
  })
})

async function commandOf(file: string): Promise<string> {
  const source = await readFile(join(ROOT, 'examples', file), 'utf8')
  return /^\/\/ {3}(\S.*?)(?: {2,}|$)/m.exec(source)![1]!
}
