import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { runCheck } from '../../adapters/cli/check.ts'
import { assertLocalHost } from '../../adapters/cli/local-only.ts'
import { startServer as startHere } from '../../adapters/cli/server.ts'
import { readSettings, type Settings } from '../../adapters/cli/settings.ts'
import { run } from '../runtimes/program.ts'
import { startCommand, untilPrinted } from '../shared/command.ts'
import { runToEnd, type ServerRun, STOPPED, send } from '../shared/server-process.ts'
import { useCommand } from './command.ts'

const { start, ...server } = useCommand()
const { directory } = server
const startInMemory = (...args: string[]) => start({ args: ['--db', ':memory:', ...args] })
const check = (...args: string[]) => runToEnd(server, { args: ['check', ...args] })

function write(name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

/** The SQLite file of another app, which has a table `plants` of its own. */
function appFile(name: string): string {
  const file = join(directory, name)
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE plants (label TEXT)')
  database.close()
  return file
}

const MONSTERA = '{"id":7,"name":"Monstera","tag":"indoor"}'

describe('The server without settings', () => {
  it('serves on loopback, and says how to call it', async () => {
    // An empty variable is as good as none, and not every interface.
    const running = await start({ env: { HOST: '', PLANT_STORE_DB: '', PLANT_STORE_TOKENS: '' } })
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(running.introduction).toEqual([
      `Plant store listening on ${running.url}`,
      `Storage: ${join(directory, 'plants.db')}`,
      `Page to try it: ${running.url}`,
      `Try: curl -H 'Authorization: Bearer demo-token' ${running.url}/plants`,
    ])
    expect((await send(`${running.url}/plants`, 'demo-token')).status).toBe(200)
    expect(await running.stop()).toEqual(STOPPED)
  })
})

describe('The request log', () => {
  it('has a line per request, with the reason of a failure, and without query and headers', async () => {
    const { url, nextLine } = await startInMemory()
    await send(`${url}/plants`, 'demo-token', 'POST', MONSTERA)
    expect(await nextLine()).toMatch(/^POST \/plants 200 \d+\.\d ms$/)
    await send(`${url}/plants`, 's3cret', 'POST', MONSTERA)
    expect(await nextLine()).toMatch(/^POST \/plants 401 \d+\.\d ms The token is not valid\.$/)
    await fetch(`${url}/nowhere?token=s3cret`)
    expect(await nextLine()).toMatch(/^GET \/nowhere 404 \d+\.\d ms Nothing is served/)
    await send(`${url}/plants`, 'demo-token', 'POST', '{"id":7}')
    expect(await nextLine()).toMatch(/^POST \/plants 400 \d+\.\d ms .*name/)
    // A terminal would take the character for the beginning of a command.
    await fetch(`${url}/plants`, { headers: { origin: 'https://evil\x9b.example' } })
    expect(await nextLine()).toMatch(
      /^GET \/plants 421 \d+\.\d ms The demo token is for this machine only, not for the Origin https:\/\/evil\?\.example: call/,
    )
  })
})

const VARIABLES = { PLANT_STORE_TOKENS: 'a1=alice, YjI==bob,a2=alice', HOST: '0.0.0.0' }
const OPTIONS = '--token a1=alice --token YjI==bob --token a2=alice --hostname 0.0.0.0'.split(' ')
const OVERRIDDEN = { PLANT_STORE_TOKENS: 'overridden=alice', HOST: '127.0.0.1' }

describe('Tokens', () => {
  it.each<[string, ServerRun]>([
    ['variable', { env: VARIABLES }],
    ['options', { args: OPTIONS, env: OVERRIDDEN }],
  ])('of the %s open their owners’ plants, and are not printed', async (_, run) => {
    const env = { ...run.env, PLANT_STORE_DB: ':memory:' }
    const { url, introduction, nextLine } = await start({ ...run, env })
    const { port } = new URL(url)
    expect(introduction).toContain(`Page to try it: http://localhost:${port}`)
    const plants = `http://127.0.0.1:${port}/plants`
    expect((await send(plants, 'a1', 'POST', MONSTERA)).status).toBe(200)
    const list = async (token: string) => (await send(plants, token)).json()
    expect([await list('a2'), await list('YjI=')]).toEqual([[expect.anything()], []])
    expect(await list('demo-token')).toMatchObject({ error: 40102 })
    expect(await list('overridden')).toMatchObject({ error: 40102 })
    const lines = [...introduction]
    for (let i = 0; i < 5; i++) lines.push(await nextLine())
    expect(lines.join('\n')).not.toMatch(/a1|a2|YjI|demo-token/)
  })
})

describe('The demo token', () => {
  it.each(['0.0.0.0', '::', 'localhost.example', '127.0.0.1.nip.io'])(
    'is not offered to other machines, by %s',
    async (hostname) => {
      const args = ['--db', ':memory:', '--hostname', hostname]
      await expect(startHere(readSettings(args, { PORT: '0' }) as Settings)).rejects.toThrow(
        `others may reach ${hostname}, and everybody knows the demo token: set PLANT_STORE_TOKENS`,
      )
    },
  )

  it('is offered by each address of this machine', () => {
    for (const hostname of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) assertLocalHost(hostname)
  })

  it('is for Hosts and Origins of this machine, so that no other page reaches the plants', async () => {
    const { url } = await startInMemory()
    const { port } = new URL(url)
    const expectStatus = async (status: number, path: string, host: string, origin?: string) => {
      const headers = { host, ...(origin && { origin }), authorization: 'Bearer demo-token' }
      const [response] = await once(request({ port, path, headers }).end(), 'response')
      response.resume()
      expect([path, host, origin, response.statusCode]).toEqual([path, host, origin, status])
    }
    // The host of a whole URL counts instead of the header (RFC 9112, section 3.2.2).
    await expectStatus(421, 'http://evil.example/plants', 'localhost')
    await expectStatus(200, 'http://localhost/plants', 'localhost')
    for (const path of ['/plants', '/plants?limit=1']) {
      for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`, 'plants.localhost']) {
        await expectStatus(200, path, host)
      }
      for (const host of ['evil.example', 'localhost.example', '127.0.0.1.nip.io', '[::2]']) {
        await expectStatus(421, path, host)
      }
      await expectStatus(200, path, 'localhost', 'http://localhost:5173')
      for (const origin of ['https://evil.example', 'null', 'http://localhost.example']) {
        await expectStatus(421, path, 'localhost', origin)
      }
    }
  })

  it('lets pages of this machine call the API, as --cors lets any with a token of one’s own', async () => {
    const own = ['--token', 's3cret=alice']
    for (const [args, token, origin, allowed] of [
      [[], 'demo-token', 'http://localhost:5173', '*'],
      [[...own, '--cors'], 's3cret', 'https://garden.example', '*'],
      [own, 's3cret', 'http://localhost:5173', null],
    ] as const) {
      const { url } = await startInMemory(...args)
      const headers = { authorization: `Bearer ${token}`, origin }
      const response = await fetch(`${url}/plants`, { headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe(allowed)
    }
  })
})

describe('The probes', () => {
  it('say that the server runs, and whether its storage does', async () => {
    const db = join(directory, 'probed.db')
    const { url } = await start({ args: ['--db', db, '--token', 's3cret=alice'] })
    const statusOf = async (path: string, method: string) =>
      (await fetch(url + path, { method })).status
    for (const method of ['GET', 'HEAD']) {
      expect([await statusOf('/livez', method), await statusOf('/readyz', method)]).toEqual([
        200, 200,
      ])
    }
    expect(await statusOf('/livez', 'POST')).toBe(404)
    expect((await fetch(`${url}/readyz`)).headers.get('cache-control')).toBe('no-store')
    const other = new DatabaseSync(db)
    other.exec('DROP TABLE plants')
    other.close()
    expect([await statusOf('/livez', 'GET'), await statusOf('/readyz', 'GET')]).toEqual([200, 503])
  })
})

describe('--seed', () => {
  it('starts with the plants of a file, in memory, with exact ids', async () => {
    const seed = write(
      'seed.json',
      '{"demo":[{"id":9223372036854775807,"name":"Ficus"},{"id":7,"name":"Monstera","tag":"indoor"}],"bob":[{"id":7,"name":"Ivy"}]}',
    )
    const { url, introduction } = await start({ args: ['--seed', seed] })
    expect(introduction).toContain('Storage: memory, gone with the process')
    expect(await (await send(`${url}/plants`, 'demo-token')).json()).toEqual([
      { name: 'Monstera', tag: 'indoor' },
      { name: 'Ficus' },
    ])
    const ficus = `${url}/plants/9223372036854775807`
    expect((await send(ficus, 'demo-token', 'DELETE')).status).toBe(204)
  })
})

describe('--table', () => {
  it('keeps the plants in a table of another app’s file', async () => {
    const { url } = await start({ args: ['--db', appFile('mounted.db'), '--table', 'garden'] })
    expect((await send(`${url}/plants`, 'demo-token', 'POST', MONSTERA)).status).toBe(200)
  })
})

describe('The documents', () => {
  it('are public, for pages of any origin', async () => {
    const { url } = await startInMemory()
    for (const path of ['/openapi.json', '/llms.txt']) {
      const origin = 'https://a.example'
      const { status, headers } = await fetch(url + path, { headers: { origin } })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
      // So that the next version is seen at once.
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(200)
      // A page's interceptor may add a header to all requests.
      const asked = { origin, 'access-control-request-headers': 'x-trace' }
      const preflight = await fetch(url + path, { method: 'OPTIONS', headers: asked })
      expect([preflight.status, Object.fromEntries(preflight.headers)]).toMatchObject([
        204,
        { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'x-trace' },
      ])
      const post = await fetch(url + path, { method: 'POST' })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
  })

  it('describe the server that was asked, and no Host that is none', async () => {
    const { url } = await startInMemory('--token', 's3cret=alice')
    const serverOf = async (headers: Record<string, string>) => {
      const [response] = await once(request(`${url}/openapi.json`, { headers }).end(), 'response')
      return JSON.parse(await text(response)).servers
    }
    // Some API pages take a relative address for one of their own.
    expect(await serverOf({})).toEqual([{ url }])
    const proxied = { host: 'garden.example', 'x-forwarded-proto': 'https' }
    expect(await serverOf(proxied)).toEqual([{ url: 'https://garden.example' }])
    for (const host of ['garden.example/x', 'a@b', 'a"b', "a'b", 'a?b', '<b>']) {
      expect(await serverOf({ host })).toEqual([{ url: '/' }])
    }
  })
})

describe('check', () => {
  it('prints a line for each rule of a running store, and leaves its plants as they are', async () => {
    const { url } = await startInMemory('--token', 'a-token=alice', '--token', 'b-token=bob')
    await send(`${url}/plants`, 'a-token', 'POST', MONSTERA)
    const { code, lines } = await check(url, '--token', 'a-token', '--token', 'b-token')
    expect(lines.filter((line) => /^not ok/.test(line))).toEqual([])
    expect(lines.slice(0, 2)).toEqual(['TAP version 14', expect.stringMatching(/^1\.\.\d+$/)])
    expect(lines).toContain(
      'ok 1 - reachable: each token lists plants at this URL, and may delete them',
    )
    expect(lines.join('\n')).toMatch(
      /^ok \d+ - scope: a token without the scope gets 403 # SKIP not checked: needs tokens with one scope$/m,
    )
    expect(lines.at(-1)).toMatch(
      /^# \d\d rules kept, 0 broken, [1-9]\d* not checked, in \d+\.\d s$/,
    )
    expect(code).toBe(0)
    const plants = await send(`${url}/plants`, 'a-token')
    expect(await plants.text()).toBe('[{"name":"Monstera","tag":"indoor"}]')
  })

  it.skipIf(process.platform === 'win32')('removes its plants when it is interrupted', async () => {
    const { url } = await startInMemory('--token', 'a-token=alice')
    const check = startCommand([...server.command, 'check', url, '--token', 'a-token'])
    await untilPrinted(check, /^ok/m)
    check.signal('SIGINT')
    expect(await check.exit).toBe(1)
    expect(check.output()).toContain('not checked: the check was interrupted')
    expect(await (await send(`${url}/plants`, 'a-token')).text()).toBe('[]')
  })

  it('exits with 1 and names the likely cause if a rule is broken', async () => {
    const { url } = await startInMemory('--token', 'a-token=alice')
    const { code, lines } = await check(`${url}/shop`, '--token', 'a-token')
    expect(lines).toContain(
      'not ok 1 - reachable: each token lists plants at this URL, and may delete them',
    )
    expect(lines).toContain(
      '# Likely cause: the URL is not where the paths of the store begin: check the mount path',
    )
    expect(lines.join()).not.toContain('a-token')
    expect(code).toBe(1)
  })

  it.each([
    [[], 'check takes one http: or https: URL'],
    [['http://localhost?limit=1', '--token', 's3cret'], 'check takes one http: or https: URL'],
    [['http://localhost'], 'check takes the token of an owner'],
    [['http://localhost', ...'--token a --token b --token c'.split(' ')], 'check takes the token'],
    [
      ['http://localhost', '--token', 'a', '--token', 'Bearer s3cret'],
      'check takes each token alone',
    ],
    [['http://localhost', '--tokn', 's3cret'], 'check knows only --token'],
  ])('rejects wrong arguments: %j', async (args, message) => {
    const lines: string[] = []
    const checking = runCheck(args, (line) => lines.push(line))
    await expect(checking).rejects.toThrow(message)
    await expect(checking).rejects.not.toThrow('s3cret')
    expect(lines).toEqual([])
  })
})

describe('readSettings', () => {
  it('takes an empty variable for none', () => {
    const env = { PORT: '', HOST: '', PLANT_STORE_DB: '', PLANT_STORE_TOKENS: '' }
    expect(readSettings([], env)).toEqual(readSettings([], {}))
    expect(readSettings([], env)).toMatchObject({ port: 3000, hostname: '127.0.0.1' })
  })

  it('takes an option before its variable', () => {
    const options = ['--port', '1', '--db', 'a.db']
    const env = { PORT: '2', PLANT_STORE_DB: 'b.db' }
    expect(readSettings(options, env)).toEqual(readSettings(options, {}))
  })

  it('takes a delay of up to a minute', () => {
    const delayed = readSettings(['--mock', '--delay', '200-60000'], {})
    expect(delayed).toMatchObject({ delayMs: [200, 60_000] })
  })

  it.each<[string, Record<string, string>, string]>([
    ['', { PORT: 'http' }, 'PORT must be a whole number from 0 to 65535, not "http"'],
    ['', { PLANT_STORE_TOKENS: 's3cret' }, 'PLANT_STORE_TOKENS must be token=owner[,token=owner…]'],
    ['', { PLANT_STORE_TOKENS: 's3cret=alice,=bob' }, "entry 2 isn't"],
    ['', { PLANT_STORE_TOKENS: 's3 cret=alice' }, "entry 1 isn't"],
    ['', { PLANT_STORE_TOKENS: 's3cret=alice,s3cret=bob' }, 'one token twice'],
    ['--port 70000', {}, '--port must be a whole number from 0 to 65535, not "70000"'],
    ['--db=', {}, '--db must not be empty'],
    ['plants.db', {}, "Unexpected argument 'plants.db'. plant-store --help lists the options"],
    ['--token s3=cret=alice', {}, 'A token has only A-Z, a-z, 0-9 and -._~+/, and = only at its'],
    ['--token s3cret=alice --token s3cret=bob', {}, '--token has one token twice'],
    ['--db a.db --seed list.json', {}, '--seed keeps plants in memory, so it needs --db'],
    ['--mock', { PLANT_STORE_DB: 'a.db' }, 'so it needs --db :memory:, not a.db'],
    ['--table plants --mock', {}, '--table names a table in a SQLite file'],
    ['--delay 5', {}, '--delay delays a mock: pass --mock too'],
    ['--mock --delay 60001', {}, '--delay must be a time in ms up to 60000, or a range'],
    ['--mock --delay 800-200', {}, '--delay must be a time in ms up to 60000, or a range'],
  ])('refuses %s %o', (line, env, message) => {
    const read = () => readSettings(line === '' ? [] : line.split(' '), env)
    expect(read).toThrow(message)
    expect(read).not.toThrow('s3')
  })
})

describe('A setting that the server cannot start with', () => {
  it('ends it with one line on the standard error', async () => {
    const [program, ...args] = server.command
    const starting = run(program!, [...args, '--prot', '80'])
    const stderr = expect.stringMatching(
      /^The plant store can't start: Unknown option '--prot'.*\n$/,
    )
    await expect(starting).rejects.toMatchObject({ code: 1, stdout: '', stderr })
  })

  const foreign = write('foreign.db', 'not a database')
  const absent = join(directory, 'missing', 'plants.db')
  const noJson = write('seed.txt', 'Monstera')
  const list = write('list.json', '[{"id":7,"name":"Monstera"}]')
  const noName = write('no-name.json', '{"demo":[{"id":7}]}')
  const bob = write('bob.json', '{"bob":[{"id":7,"name":"Monstera"}]}')
  const app = appFile('app.db')
  const twice = write('twice.json', '{"demo":[{"id":7,"name":"a"},{"id":7,"name":"b"}]}')

  it.each([
    [['--db', ':memory:', '--hostname', '192.0.2.1', '--token', 'a=b'], '192.0.2.1'],
    [['--db', foreign], foreign],
    [['--db', absent], `the directory ${join(directory, 'missing')} does not exist`],
    [['--db', app], 'database of another application. To add a table for plants to it'],
    [['--db', app], ', start with --table plants'],
    [['--db', app, '--table', 'plants'], 'Start with another --table'],
    [['--seed', absent], `--seed ${absent}: ENOENT`],
    [['--seed', noJson], 'is not valid JSON. It must hold plants by owner, like {"demo"'],
    [['--seed', list], `--seed ${list}: it must be an object; got an array`],
    [['--seed', noName], `--seed ${noName}: demo.0.name is required`],
    [['--seed', twice], `--seed ${twice}: The plants of demo must have different ids`],
    [['--seed', bob], 'no token opens its plants, so pass --token <token>=bob'],
  ])('is refused: %j', async (args, message) => {
    const settings = readSettings(args, { PORT: '0' }) as Settings
    await expect(startHere(settings)).rejects.toThrow(message)
  })
})
