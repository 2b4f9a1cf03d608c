import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { ROOT, run, startProgram } from '../../runtimes/program.ts'
import { endCommand, startCommand, untilPrinted } from '../../shared/command.ts'
import { freePort } from '../../shared/free-port.ts'
import { listening } from '../../shared/listening.ts'
import { NO_NGINX, startNginx } from '../../shared/nginx.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'
import { type CodeBlock, codeBlocks, filesOf, GUIDES } from './guides.ts'

const CERTIFICATE = join(ROOT, 'test/adapters/node/test-certificate.pem')

const blocks = GUIDES.flatMap(codeBlocks)
const blockOf = (language: string): CodeBlock =>
  blocks.find((block) => block.language === language)!

describe('The systemd unit', () => {
  it('is valid to systemd, and exposes little', async ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).error) skip('systemd is not installed here')
    const { code, file } = blockOf('ini')
    const unit = join(folderOfTest(), file!)
    writeFileSync(unit, code)
    const { stderr } = await run('systemd-analyze', ['verify', unit])
    expect(stderr).toBe('')
    // In tenths. Above it, the command fails.
    const limit = ['--offline=true', '--threshold=15']
    await run('systemd-analyze', ['security', ...limit, unit])
  })
})

describe('The Deployment of Kubernetes', () => {
  it('gives the server the time that it may take, and probes paths that it answers', () => {
    const { code } = blockOf('yaml')
    const server = blocks.find(({ file }) => file === /\[node, (.+)\]/.exec(code)?.[1])!.code
    const [, seconds] = /terminationGracePeriodSeconds: (\d+)/.exec(code)!
    const [, delayMs] = /DRAIN_MS\n *value: '(\d+)'/.exec(code)!
    expect(Number(seconds) * 1000).toBeGreaterThan(Number(delayMs) + 8000)
    expect(server).toContain('drainDelayMs: Number(DRAIN_MS)')
    const paths = [...code.matchAll(/path: (.+)/g)].map(([, path]) => path!)
    expect(paths).toHaveLength(2)
    for (const path of paths) expect(server).toContain(`'${path}'`)
  })
})

describe('The server with probes', () => {
  it('serves for DRAIN_MS after SIGTERM, and is not ready', async ({ skip }) => {
    if (process.platform === 'win32') skip('Windows has no SIGTERM')
    const code = filesOf('docs/tasks/health-checks.md').get('with-probes.mts')!
    const program = code.replace('3000', '0').replace('plants.db', ':memory:')
    const command = [process.execPath, '--input-type=module-typescript', '--eval', program]
    const { url, signal } = await startProgram(command, { DRAIN_MS: '3000' })
    const headers = { authorization: 'Bearer s3cret', connection: 'close' }
    const statusOf = async (path: string) => (await fetch(url + path, { headers })).status
    const statuses = () => Promise.all(['/livez', '/readyz', '/plants'].map(statusOf))
    expect(await statuses()).toEqual([200, 200, 200])
    const begin = performance.now()
    const exit = signal('SIGTERM')
    await expect.poll(statuses, { timeout: 2500 }).toEqual([200, 503, 200])
    expect(await exit).toBe(0)
    expect(performance.now() - begin).toBeGreaterThan(3000)
  })
})

describe('The nginx configuration', () => {
  it("is a proxy with TLS, whose answers are the store's", async ({ skip }) => {
    if (NO_NGINX) skip(NO_NGINX)
    const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
    const { port: upstream } = await listening(toNodeHandler(store))
    const port = await freePort()
    const config = blockOf('nginx')
      .code.replace('443', `127.0.0.1:${port}`)
      .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
      .replaceAll(/\/etc\/ssl\/garden\.(?:pem|key)/g, CERTIFICATE)
    onTestFinished(await startNginx(config, port))

    const plants = `https://127.0.0.1:${port}/api/plants`
    const create = (id: number, name: string) => send(plants, 'POST', JSON.stringify({ id, name }))
    expect(await create(7, 'Aloe')).toMatchObject({ status: 200, body: '{"name":"Aloe"}' })
    expect(await create(8, 'Fern')).toMatchObject({ status: 200 })
    const tooLarge = await create(9, 'x'.repeat(70_000))
    expect(tooLarge).toMatchObject({ status: 413, body: expect.stringContaining('41301') })
    const page = await send(`${plants}?limit=1`, 'GET')
    const [, next] = /^<(.+)>; rel="next"$/.exec(page.headers.link as string)!
    expect(await send(new URL(next!, `${plants}?limit=1`).href, 'GET')).toMatchObject({
      status: 200,
      body: '[{"name":"Fern"}]',
    })
    expect(await send(`${plants}/7`, 'DELETE')).toMatchObject({ status: 204, body: '' })
  })
})

/** Sends a request over TLS, to a server with the certificate of the tests. */
async function send(url: string, method: string, body?: string) {
  const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
  const ca = readFileSync(CERTIFICATE)
  const sending = request(url, { method, headers, ca, servername: 'localhost', agent: false })
  const [response] = await once(sending.end(body), 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

describe('The configurations of wrangler', () => {
  it('are JSON with comments', () => {
    for (const { code } of blocks.filter(({ language }) => language === 'jsonc')) {
      expect(JSON.parse(code.replaceAll(/^ *\/\/.*$/gm, ''))).toMatchObject({ name: 'plants' })
    }
  })
})

describe('The Dockerfile, its instructions run in an empty directory', () => {
  it('starts the server, which stops on SIGTERM', async ({ skip }) => {
    if (process.platform === 'win32') skip('its instructions are for a POSIX shell')
    const context = folderOfTest()
    const image = folderOfTest()
    const { code } = codeBlocks('docs/tasks/deploy.md').find(({ file }) => file === 'server.mjs')!
    writeFileSync(join(context, 'server.mjs'), code)
    for (const file of ['package.json', 'package-lock.json'])
      writeFileSync(join(context, file), '{}')
    const script = toScript(blockOf('dockerfile').code, context, image)
    const server = startCommand(['sh', '-ec', script], {
      cwd: image,
      env: { ...process.env, TOKEN: 's3cret', PORT: '0' },
      detached: true,
    })
    onTestFinished(async () => void (await endCommand(server)))
    const [line] = await untilPrinted(server, /http:.+/)
    const url = line.replace('0.0.0.0', '127.0.0.1')
    const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
    const body = '{"id":7,"name":"Aloe"}'
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
    await endCommand(server)
    expect(existsSync(join(image, 'data/plants.db'))).toBe(true)
  })
})

/** Does in the directory `image` what a container's builder does in an image's root, and then starts its command. */
function toScript(dockerfile: string, context: string, image: string): string {
  const steps: Record<string, (text: string) => string> = {
    WORKDIR: (folder) => `mkdir -p ${folder}; cd ${folder}`,
    COPY: (files) => `(cd ${context}; cp --parents ${files.replace('./', '$OLDPWD')})`,
    RUN: (command) => command,
    ENV: (pairs) => `export ${pairs}`,
    CMD: (words) => `exec ${JSON.parse(words).join(' ')}`,
  }
  const lines = [...dockerfile.matchAll(/^([A-Z]+) (.+)$/gm)]
  const instructions = lines.filter(([, name]) => !['FROM', 'USER', 'VOLUME'].includes(name!))
  const script = instructions.map(([, name, text]) =>
    steps[name!]!(text!).replaceAll(/(?<![\w.])\/(?=app\b|data\b)/g, `${image}/`),
  )
  // The user `node` is the image's, and npm would need the network.
  const programs = [
    'chown() { test "$1" = node; }',
    `npm() { test -f package-lock.json; mkdir node_modules; ln -s ${ROOT} node_modules/plant-store; }`,
  ]
  return [...programs, ...script].join('\n')
}
