import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { killServers, STOPPED, send, startServer } from '../shared/server-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'plant-store-example-'))
afterAll(() => {
  killServers()
  rmSync(directory, { recursive: true })
})

it('npm start serves the store on SQLite, and says how to call it', async () => {
  const file = resolve(import.meta.dirname, '../../examples/node-server.ts')
  const start = () => startServer({ command: [process.execPath, file], directory })
  const running = await start()
  expect(running.introduction).toEqual([
    `Plant store listening on ${running.url}`,
    `Try: curl -H 'Authorization: Bearer demo-token' ${running.url}/plants`,
  ])
  const plant = '{"id":7,"name":"Monstera","tag":"indoor"}'
  expect((await send(`${running.url}/plants`, 'demo-token', 'POST', plant)).status).toBe(200)
  expect(await running.stop()).toEqual(STOPPED)
  // In plants.db.
  const again = await start()
  const list = await send(`${again.url}/plants`, 'demo-token')
  expect(await list.json()).toEqual([{ name: 'Monstera', tag: 'indoor' }])
  await again.stop()
})
