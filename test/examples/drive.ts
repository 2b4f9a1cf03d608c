import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Program, ROOT, startProgram } from '../runtimes/program.ts'

/** Runs an example by the command that its comment gives, and uses it as a client would. */
export function describeExample(file: string, path: string): void {
  it(`examples/${file} runs by the command that it gives, creates, lists and deletes`, async () => {
    const source = await readFile(join(ROOT, 'examples', file), 'utf8')
    const command = /^\/\/ {3}(\S.*?)(?: {2,}|$)/m.exec(source)![1]!
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
}
