import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Program, ROOT, startProgram } from '../runtimes/program.ts'
import { listening } from '../shared/listening.ts'
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
    const command = await commandOf(file)
    const directory = await mkdtemp(join(tmpdir(), 'plant-store-example-'))
    let program: Program | undefined
    try {
      program = await startProgram(command, {
        PORT: '0',
        PLANT_STORE_DB: join(directory, 'plants.db'),
      })
      await checkOperations(program.url + path, 'demo-token')
      for (const other of file === 'node-server.ts' ? ['/livez', '/openapi.json'] : []) {
        expect([other, (await fetch(program.url + other)).status]).toEqual([other, 200])
      }
    } finally {
      await program?.stop()
      await rm(directory, { recursive: true })
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
