import { afterAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import nodes from '../runtimes/nodes/package.json' with { type: 'json' }
import {
  killServers,
  runToEnd,
  type ServerCommand,
  STOPPED,
  send,
  startServer,
} from '../shared/server-process.ts'
import { BUN, DENO, usePackedProject } from './packed-project.ts'

const PLANT = '{"id":9223372036854775807,"name":"Monstera","tag":"indoor"}'
const FILE = 'node_modules/plant-store/dist/adapters/cli.js'

const project = usePackedProject()
afterAll(killServers)

// The file is what `npx plant-store` runs. `npm run test:nodes` tests it on the other versions of Node.
const NODE = ['Node', [process.execPath, FILE]] as const
const RUNTIMES = [
  NODE,
  ['Bun', [BUN, FILE]],
  ['Deno', [DENO, 'run', '--allow-all', 'npm:plant-store']],
] as const
const isOtherNode = Object.values(nodes.optionalDependencies).includes(
  `npm:node@${process.version.slice(1)}`,
)
const runtimes = isOtherNode ? [NODE] : RUNTIMES

describe.each(runtimes)('plant-store of the tarball on %s', (runtime, command) => {
  const server = (): ServerCommand => ({ command, directory: project.directory })

  it('prints its version and its help', async () => {
    expect(await runToEnd(server(), { args: ['--version'] })).toEqual({
      code: 0,
      lines: [manifest.version],
    })
    const { lines } = await runToEnd(server(), { args: ['--help'] })
    expect(lines[0]).toBe('Usage: plant-store [options]')
    expect(lines.join()).toContain('  --port')
  })

  it('creates, lists and deletes as its first lines say, and keeps the plants', async () => {
    const args = ['--db', `${runtime}.db`]
    const first = await startServer(server(), { args })
    const [, command, token, url] = /^Try: (curl -H 'Authorization: Bearer (.+)' (.+))$/.exec(
      first.introduction.at(-1)!,
    )!
    expect(command).toContain(first.url)
    const created = await send(url!, token!, 'POST', PLANT)
    expect([created.status, await created.json()]).toEqual([
      200,
      { name: 'Monstera', tag: 'indoor' },
    ])
    expect(await first.nextLine()).toMatch(/^POST \/plants 200 \d+\.\d ms$/)
    expect(await first.stop()).toEqual(STOPPED)

    const second = await startServer(server(), { args })
    const plants = `${second.url}/plants`
    expect(await (await send(plants, token!)).json()).toEqual([{ name: 'Monstera', tag: 'indoor' }])
    expect((await send(`${plants}/9223372036854775807`, token!, 'DELETE')).status).toBe(204)
    await second.stop()
  })

  it('serves the page that its first lines name, and the guides', async () => {
    const { url, introduction, stop } = await startServer(server(), { args: ['--db', ':memory:'] })
    expect(introduction).toContain(`Page to try it: ${url}`)
    for (const [path, start] of [
      ['/', '<!doctype html>'],
      ['/docs/index.md', '<!doctype html>'],
      ['/openapi.json', '{'],
      ['/llms.txt', '# Plant Store'],
    ] as const) {
      const response = await fetch(url + path, { headers: { accept: 'text/html' } })
      expect([path, response.status]).toEqual([path, 200])
      expect((await response.text()).slice(0, start.length)).toBe(start)
    }
    await stop()
  })

  it('cuts a connection and truncates a list as a mock', async () => {
    const { url, stop } = await startServer(server(), { args: ['--mock'] })
    const failing = (prefer: string, init: RequestInit = {}) => {
      const headers = { authorization: 'Bearer demo-token', 'content-type': 'application/json' }
      return fetch(`${url}/plants`, { ...init, headers: { ...headers, prefer } })
    }
    const create = { method: 'POST', body: PLANT }
    await expect(failing('plant-store=applied-cut', create)).rejects.toThrow('fetch failed')
    const list = await failing('plant-store=truncated')
    await expect(list.text()).rejects.toThrow('terminated')
    expect(await (await failing('code=200')).json()).toEqual([{ name: 'Monstera', tag: 'indoor' }])
    await stop()
  })

  it('refuses a wrong setting and a port that is taken, with one line and exit code 1', async () => {
    const other = await startServer(server(), { args: ['--db', ':memory:'] })
    const { port } = new URL(other.url)
    for (const [args, message] of [
      [['--db', 'missing/plants.db'], 'does not exist'],
      [['--prot', '80'], "Unknown option '--prot'"],
      [['check'], 'check takes one http: or https: URL'],
      [['--port', port, '--db', ':memory:'], `port ${port} of 127.0.0.1 is in use`],
    ] as const) {
      const { code, lines } = await runToEnd(server(), { args: [...args] })
      expect(lines).toEqual([expect.stringContaining(message)])
      expect(code).toBe(1)
    }
    await other.stop()
  })
})
