import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { enableGracefulClose, serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { startProgram } from '../../runtimes/program.ts'
import { connect } from '../../shared/wire.ts'
import { longList, observedStore } from './long-list.ts'

const store = {
  ...createPlantStore(memoryStorage(), staticTokens({ t: 'alice' })),
  // Several servers use it, one after the other.
  close: async () => {},
}
const get = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: garden\r\nAuthorization: Bearer t\r\n\r\n`
const CREATE =
  'POST /plants HTTP/1.1\r\nHost: garden\r\nAuthorization: Bearer t\r\n' +
  'Content-Type: application/json\r\nContent-Length: 22\r\n\r\n{"id":1,"name":"Aloe"}'

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
    const handlers = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
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

describe('close() of a server with an idle connection', () => {
  async function closingMs(isBusy: boolean): Promise<number> {
    const server = await serve(store, { port: 0, signals: false })
    const wire = await connect(server.port)
    wire.send(get('/plants'))
    await wire.receive()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const busy = setInterval(() => {
      const end = performance.now() + 2
      while (isBusy && performance.now() < end);
    }, 2)
    const begin = performance.now()
    await server.close()
    clearInterval(busy)
    return performance.now() - begin
  }

  it('takes less than a second', async () => {
    expect(await closingMs(false)).toBeLessThan(800)
  })

  it('ends although the process is busy', async () => {
    expect(await closingMs(true)).toBeLessThan(3000)
  })
})

describe('graceMs', () => {
  it('aborts a request that is still in flight at its end', async () => {
    const storage = { ...memoryStorage(), create: () => new Promise<boolean>(() => {}) }
    const stuck = createPlantStore(storage, staticTokens({ t: 'alice' }))
    const server = await serve(stuck, { port: 0, graceMs: 400 })
    const wire = await connect(server.port)
    wire.send(CREATE)
    await server.close()
    expect(await wire.receive()).toBeNull()
  })

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
  ])('and the other options of serve are checked: %j', async (options, type, message) => {
    const starting = serve(store, options as never)
    await expect(starting).rejects.toThrow(type)
    await expect(starting).rejects.toThrow(message)
  })

  it('and those of enableGracefulClose', () => {
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
    const { store } = observedStore(longList(1_000_000, 'x'.repeat(1000)))
    const server = await serve(store, { port: 0, graceMs: 0 })
    const wire = await connect(server.port)
    wire.send(get('/plants'))
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
    const handlers = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
    const before = handlers()
    const server = await serve(store, { port: 0, signals: false })
    expect(handlers()).toEqual(before)
    await server.close()
  })

  it('keeps nothing of a connection that is closed', async () => {
    const sockets: WeakRef<Socket>[] = []
    const onRequest = (message: any) => void sockets.push(new WeakRef(message.socket))
    subscribe('http.server.request.start', onRequest)
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
    const server = await serve(store, { port: 0 })
    for (let count = 0; count < 5; count++) {
      const wire = await connect(server.port)
      wire.send(get('/plants'))
      await wire.receive()
      wire.socket.destroy()
    }
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    await vi.waitFor(() => {
      collectGarbage()
      expect(sockets.filter((socket) => socket.deref())).toEqual([])
    })
    expect(sockets).toHaveLength(5)
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
    const handlers = process.listenerCount('SIGTERM')
    await expect(serve(store, { port: server.port })).rejects.toThrow('EADDRINUSE')
    expect(process.listenerCount('SIGTERM')).toBe(handlers)
    await server.close()
  })
})
