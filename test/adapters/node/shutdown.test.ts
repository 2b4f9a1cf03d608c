import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { enableGracefulClose, serve } from '../../../adapters/node.ts'
import { resolveCloseOptions } from '../../../adapters/serve.ts'
import { plants } from '../../shared/plants.ts'
import { connect, head } from '../../shared/wire.ts'

const store = {
  ...plants(),
  // Several servers use it, one after the other.
  close: async () => {},
}
/** The signal handlers of the process. */
const handlers = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]

it('close() closes the store once, passes its failure on, and leaves no signal handler and no timer', async () => {
  // A timer would keep the process alive.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const close = vi.fn(() => Promise.reject(new Error('The disk is gone')))
  const before = handlers()
  const timersBefore = timers()
  const server = await serve({ ...store, close }, { port: 0 })
  expect(handlers()).toEqual(before.map((count) => count + 1))
  await (await fetch(`${server.url}/plants`, { headers: { connection: 'close' } })).text()
  const outcomes = await Promise.allSettled([server.close(), server[Symbol.asyncDispose]()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(close).toHaveBeenCalledOnce()
  expect(handlers()).toEqual(before)
  expect(timers()).toBeLessThanOrEqual(timersBefore)
})

it('close() leaves a quarter of graceMs for the store, however long a client keeps its request open', async () => {
  let isClosed = false
  async function close() {
    await setTimeout(20)
    isClosed = true
  }
  const server = await serve({ ...store, close }, { port: 0, signals: false, graceMs: 2000 })
  const { send, receive } = await connect(server.port)
  const fields = ['Content-Type: application/json', 'Content-Length: 21', 'Expect: 100-continue']
  send(head('POST /plants', ...fields))
  expect((await receive())!.status).toBe(100)
  await server.close()
  expect(isClosed).toBe(true)
  expect(await receive()).toBeNull()
})

it('closing takes at most 8 s by default, less than docker stop gives', () => {
  const defaults = { signals: true, graceMs: 8000, drainDelayMs: 0 }
  expect(resolveCloseOptions('serve', {})).toEqual(defaults)
})

describe('a wrong option', () => {
  it.each([
    [
      { host: '0.0.0.0' },
      TypeError,
      'serve has no option host; the options are port, hostname, reusePort, keepAliveTimeoutMs, signals, graceMs, drainDelayMs',
    ],
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
  it('keeps idle connections longer than load balancers do, which is up to 600 s, stuck ones for two minutes, and incomplete requests for five', async () => {
    type Request = { socket: Socket; server: Server }
    const { promise: requested, resolve } = Promise.withResolvers<Request>()
    const onRequest = (message: unknown) => resolve(message as Request)
    subscribe('http.server.request.start', onRequest)
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
    const server = await serve(store, { port: 0 })
    const response = fetch(`${server.url}/plants`)
    const { socket, server: node } = await requested
    expect(socket.timeout).toBe(120_000)
    expect([node.headersTimeout, node.requestTimeout]).toEqual([60_000, 300_000])
    expect((await response).headers.get('keep-alive')).toBe('timeout=620')
    await server.close()
  })

  it('leaves signals to the app where `signals` is false, and where it can not listen', async () => {
    const before = handlers()
    const server = await serve(store, { port: 0, signals: false })
    await expect(serve(store, { port: server.port })).rejects.toThrow('EADDRINUSE')
    expect(handlers()).toEqual(before)
    await server.close()
  })

  it('leaves malformed HTTP to Node, which answers without a body', async () => {
    await using server = await serve(store, { port: 0 })
    for (const [status, request] of [
      [400, head('GET /plants', 'tea')],
      [417, head('GET /plants', 'Expect: tea')],
      [431, head('GET /plants', `X-Long: ${'x'.repeat(20_000)}`)],
    ] as const) {
      const wire = await connect(server.port)
      wire.send(request)
      expect(await wire.receive()).toMatchObject({ status, body: '' })
      wire.socket.destroy()
    }
  })

  it('writes an IPv6 address as a URL has it', async () => {
    await using server = await serve(store, { port: 0, hostname: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(`${server.url}/plants`)).status).toBe(401)
  })
})
