import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Program, ROOT, startProgram } from '../runtimes/program.ts'
import { listening } from '../shared/listening.ts'

/** Runs an example by the command that its comment gives, and uses it as a client would. */
export function describeExample(file: string, path: string): void {
  it(`examples/${file} runs by the command that it gives, creates, lists and deletes`, async () => {
    const command = await commandOf(file)
    const directory = await mkdtemp(join(tmpdir(), 'plant-store-example-'))
    let program: Program | undefined
    try {
      program = await startProgram(command, {
        PORT: '0',
        PLANT_STORE_DB: join(directory, 'plants.db'),
      })
      const url = program.url + path
      const send = (method: string, target: string, body?: string) =>
        fetch(url + target, {
          method,
          body,
          headers: { authorization: 'Bearer demo-token', 'content-type': 'application/json' },
        })
      const plant = '{"id":9007199254740993,"name":"Monstera","tag":"indoor"}'
      const created = await send('POST', '', plant)
      expect([created.status, await created.json()]).toEqual([
        200,
        { name: 'Monstera', tag: 'indoor' },
      ])
      expect((await send('POST', '', plant)).status).toBe(400)
      expect(await (await send('GET', '')).json()).toEqual([{ name: 'Monstera', tag: 'indoor' }])
      expect((await send('DELETE', '/9007199254740993')).status).toBe(204)
      expect(await (await send('GET', '')).json()).toEqual([])
      expect((await fetch(url)).status).toBe(401)
    } finally {
      await program?.stop()
      await rm(directory, { recursive: true })
    }
  })

  it(`examples/${file} says so where its port is taken`, async () => {
    const { port } = await listening(createServer())
    const env = { PORT: String(port), PLANT_STORE_DB: ':memory:' }
    await expect(startProgram(await commandOf(file), env)).rejects.toThrow(/EADDRINUSE|AddrInUse/)
  })
}

async function commandOf(file: string): Promise<string> {
  const source = await readFile(join(ROOT, 'examples', file), 'utf8')
  return /^\/\/ {3}(\S.*?)(?: {2,}|$)/m.exec(source)![1]!
}
