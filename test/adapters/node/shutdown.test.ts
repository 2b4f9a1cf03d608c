import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { enableGracefulClose, serve } from '../../../adapters/node.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { startProgram } from '../../runtimes/program.ts'
import { connect } from '../../shared/wire.ts'
import { longList } from './long-list.ts'
import { plants } from './plants.ts'

const store = {
  ...plants(),
  // Several servers use it, one after the other.
  close: async () => {},
}
const LIST = 'GET /plants HTTP/1.1\r\nHost: garden\r\nAuthorization: Bearer t\r\n\r\n'
/** The signal handlers of the process. */
const handlers = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]

it('a second signal ends the server at once, as PID 1 of a container', async ({ skip }) => {
  if (process.platform !== 'linux' || process.getuid!() !== 0)
    skip('only root of Linux can unshare PIDs')
  const unshare = ['unshare', '--pid', '--fork', '--kill-child', process.execPath]
  const script = ['test/runtimes/entries/closing.ts', '{"graceMs":60000}']
  const { url, pid, output, ended, kill } = await startProgram([...unshare, ...script])
  onTestFinished(kill)
  const headers = { authorization: 'Bearer stuck' }
  fetch(`${url}/plants?limit=1`, { headers }).catch(() => {})
  await vi.waitFor(() => expect(output()).toContain('asked'))
  const inside = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  process.kill(inside, 'SIGTERM')
  await vi.waitFor(() => expect(fetch(url)).rejects.toThrow('fetch failed'), 5000)
  await sleep(600)
  process.kill(inside, 'SIGTERM')
  expect(await ended).toBe(143)
})

describe('close()', () => {
  it('leaves no timer behind, which would keep the process alive', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const server = await serve(store, { port: 0 })
    await (await fetch(`${server.url}/plants`)).text()
    const before = timers()
    await server.close()
    expect(timers()).toBeLessThanOrEqual(before)
  })

  it('closes the store once, passes its failure on and leaves no signal handler', async () => {
    const before = handlers()
    let closes = 0
    const server = await serve(
      {
        ...store,
        async close() {
          closes++
          throw new Error('The disk is gone')
        },
      },
      { port: 0 },
    )
    expect(handlers()).toEqual(before.map((count) => count + 1))
    const outcomes = await Promise.allSettled([server.close(), server.close()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(closes).toBe(1)
    expect(handlers()).toEqual(before)
  })
})

it('close() of a server with an idle connection ends although the process is busy', async () => {
  const server = await serve(store, { port: 0, signals: false })
  const wire = await connect(server.port)
  wire.send(LIST)
  await wire.receive()
  await sleep(300)
  const busy = setInterval(() => {
    for (const begin = performance.now(); performance.now() - begin < 2; );
  }, 2)
  const begin = performance.now()
  await server.close()
  clearInterval(busy)
  expect(performance.now() - begin).toBeLessThan(3000)
})

it('graceMs aborts a request that is still in flight at its end', async () => {
  const storage = { ...memoryStorage(), list: () => new Promise<never>(() => {}) }
  const server = await serve(plants({}, storage), { port: 0, graceMs: 400 })
  const wire = await connect(server.port)
  wire.send(LIST)
  await server.close()
  expect(await wire.receive()).toBeNull()
})

describe('a wrong option', () => {
  it.each([
    [
      { host: '0.0.0.0' },
      TypeError,
      'serve has no option host; the options are port, hostname, reusePort, signals, graceMs, drainDelayMs',
    ],
    ['0.0.0.0', TypeError, 'serve takes an object of options; got a string'],
    [{ port: 65_536 }, RangeError, 'port must be a whole number from 0 to 65535; got 65536'],
    [
      { graceMs: 2 ** 31 },
      RangeError,
      'graceMs must be a whole number from 0 to 2147483647; got 2147483648',
    ],
    [
      { drainDelayMs: '5s' },
      RangeError,
      'drainDelayMs must be a whole number from 0 to 2147483647; got a string',
    ],
    [{ hostname: '' }, TypeError, 'hostname must be a host name or an address; got ""'],
  ])('of serve is refused: %j', async (options, type, message) => {
    const starting = serve(store, options as never)
    await expect(starting).rejects.toThrow(type)
    await expect(starting).rejects.toThrow(message)
  })

  it('of enableGracefulClose is refused', () => {
    expect(() => enableGracefulClose(createServer(), store, { port: 1 } as never)).toThrow(
      'enableGracefulClose has no option port; the options are signals, graceMs, drainDelayMs',
    )
  })
})

describe('serve()', () => {
  it('ends a connection whose client has not read for two minutes', async () => {
    const sockets: Socket[] = []
    const onRequest = (message: unknown) => void sockets.push((message as any).socket)
    subscribe('http.server.request.start', onRequest)
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
    const list = longList(1_000_000, 'x'.repeat(1000))
    const server = await serve(plants({}, list), { port: 0, graceMs: 0 })
    const wire = await connect(server.port)
    wire.send(LIST)
    await once(wire.socket, 'data')
    wire.socket.pause()
    const [socket] = sockets
    expect(socket!.timeout).toBe(120_000)
    const closed = once(socket!, 'close')
    // Instead of two minutes. Node's own timers can't be faked.
    socket!.setTimeout(1)
    await closed
    await server.close()
  })

  it('keeps idle connections longer than load balancers do, which is 60 s', async () => {
    const server = await serve(store, { port: 0 })
    const { headers } = await fetch(`${server.url}/plants`)
    expect(headers.get('keep-alive')).toBe('timeout=65')
    await server.close()
  })

  it('leaves signals to the app where `signals` is false', async () => {
    const before = handlers()
    const server = await serve(store, { port: 0, signals: false })
    expect(handlers()).toEqual(before)
    await server.close()
  })

  it('writes an IPv6 address as a URL has it', async () => {
    const server = await serve(store, { port: 0, hostname: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(`${server.url}/plants`)).status).toBe(401)
    await server.close()
  })

  it('rejects when the port is taken, and leaves no signal handler', async () => {
    const server = await serve(store, { port: 0 })
    const before = handlers()
    await expect(serve(store, { port: server.port })).rejects.toThrow('EADDRINUSE')
    expect(handlers()).toEqual(before)
    await server.close()
  })
})
