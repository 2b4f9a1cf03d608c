import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect as connectSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import type { PlantStore } from '../../../src/index.ts'
import { listening } from '../../shared/listening.ts'
import { connect } from '../../shared/wire.ts'
import { longList, observedStore } from './long-list.ts'

const MIB = 1024 * 1024
/** Pages of half a megabyte: too much for what lies between a server and its client. */
const LONG_NAME = 'x'.repeat(1000)
const GET = 'GET /plants HTTP/1.1\r\nHost: garden\r\nAuthorization: Bearer t\r\n\r\n'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url))
const tls = { key: pem, cert: pem }

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill()
})

const serving = (store: PlantStore) => listening(toNodeHandler(store))

/** When the server reads no more, for as long as that can be told. */
async function standstill(storage: { reads: number }): Promise<void> {
  let last = -1
  let same = 0
  await vi.waitUntil(
    () => {
      same = storage.reads === last ? same + 1 : 0
      last = storage.reads
      return same === 10
    },
    { interval: 20, timeout: 30_000 },
  )
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a streamed list', () => {
  it('a million plants are streamed in at most 64 MiB', async () => {
    child = fork(new URL('./million-server.ts', import.meta.url), { execArgv: [] })
    const [{ port }] = await once(child, 'message')
    const peak = async () => {
      child!.send('peak?')
      return (await once(child!, 'message'))[0].peak as number
    }
    const list = (query: string) =>
      fetch(`http://127.0.0.1:${port}/plants${query}`, { headers: { authorization: 'Bearer t' } })
    await (await list('?limit=2000')).text()

    const before = await peak()
    const response = await list('')
    let size = 0
    let end = ''
    for await (const bytes of response.body!) {
      size += bytes.byteLength
      end = Buffer.from(bytes.slice(-1)).toString()
    }
    expect(size).toBe(1_000_000 * '{"name":"Monstera deliciosa"},'.length + 1)
    expect(end).toBe(']')
    expect((await peak()) - before).toBeLessThan(64 * MIB)
  })

  it('parts that come within two turns of the event loop are sent together', async () => {
    const isHeld: boolean[] = []
    let socket: Socket
    async function* parts() {
      for (const part of ['a', 'b']) {
        yield part
        // Node itself holds a write back until the next tick.
        await new Promise((resolve) => process.nextTick(resolve))
        isHeld.push(socket.writableLength > 0)
      }
      await turn().then(turn).then(turn)
      isHeld.push(socket.writableLength > 0)
    }
    const handle = async () => ({ status: 200, headers: {}, body: parts() })
    const handler = toNodeHandler({ handle, notFound: handle })
    const { url } = await listening((request, response) => {
      socket = request.socket
      handler(request, response)
    })
    expect(await (await fetch(url)).text()).toBe('ab')
    expect(isHeld).toEqual([true, true, false])
  })

  it('a list that waits behind another on its connection is not begun', async () => {
    const storage = longList(1_000_000, LONG_NAME)
    const { store, streams } = observedStore(storage)
    const wire = await connect((await serving(store)).port)
    wire.socket.pause()
    wire.send(GET + GET)
    await standstill(storage)
    wire.socket.resetAndDestroy()
    await Promise.all(streams)
    expect(streams).toHaveLength(1)
    expect(storage.reads).toBeLessThan(100)
  })
})

describe('a storage that fails in the middle of a list', () => {
  function failing() {
    const storage = longList(10_000)
    const { list } = storage
    const { promise: begun, resolve: fail } = Promise.withResolvers<void>()
    storage.list = async (owner, page) => {
      if (storage.reads < 3) return list(owner, page)
      await begun
      throw new Error('The disk is gone')
    }
    const errors: unknown[] = []
    return { ...observedStore(storage, (error) => errors.push(error)), fail, errors }
  }

  it('truncates the response', async () => {
    const { store, fail, errors } = failing()
    const wire = await connect((await serving(store)).port)
    wire.send(GET)
    await once(wire.socket, 'data')
    fail()
    await expect(wire.receive()).rejects.toThrow('breaks off')
    expect(errors).toEqual([new Error('The disk is gone')])
    // A reset would destroy parts on their way.
    expect(wire.socket.errored).toBeNull()
  })

  /** Asks for a list over HTTP/1.0, lets it fail midway, and expects it to end without its end. */
  async function expectTruncated(socket: Socket, fail: () => void): Promise<void> {
    const log = vi.spyOn(console, 'error')
    socket.write(GET.replace('1.1', '1.0'))
    let text = ''
    socket.setEncoding('latin1').on('data', (part) => {
      text += part
    })
    await once(socket, 'data')
    fail()
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).not.toMatch(/\]$/)
    expect(log).not.toHaveBeenCalled()
  }

  it('resets the connection of HTTP/1.0, where only that tells a truncated list from a complete one', async () => {
    const { store, fail } = failing()
    const { port } = await serving(store)
    const socket = connectSocket(port, '127.0.0.1')
    const reset = once(socket, 'error')
    socket.write(GET.replace('1.1', '1.0'))
    await once(socket, 'data')
    fail()
    expect(await reset).toMatchObject([{ code: 'ECONNRESET' }])
  })

  it('ends the connection of HTTP/1.0 over TLS, which cannot be reset', async () => {
    const { store, fail } = failing()
    const { port } = await listening(createHttpsServer(tls, toNodeHandler(store)))
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await expectTruncated(socket, fail)
  })

  it('ends the connection of HTTP/1.0 over a Unix socket, which cannot be reset', async () => {
    const { store, fail } = failing()
    const folder = mkdtempSync(join(tmpdir(), 'plants-'))
    const path = join(folder, 'socket')
    const server = createServer(toNodeHandler(store)).listen(path)
    onTestFinished(() => {
      server.close()
      rmSync(folder, { recursive: true })
    })
    await once(server, 'listening')
    const socket = connectSocket(path)
    await expectTruncated(socket, fail)
  })
})

describe('what a list or a request leaves behind', () => {
  it('a list that has often waited for its client leaves no listener for each time', async () => {
    const { store } = observedStore(longList(10_000, LONG_NAME))
    const { server, port } = await serving(store)
    const counts: number[] = []
    server.on('request', (request, response) => {
      response.once('finish', () => {
        counts.push(response.listenerCount('drain'))
        counts.push(response.listenerCount('close'), request.listenerCount('close'))
      })
    })
    const headers = { authorization: 'Bearer t' }
    const response = await fetch(`http://127.0.0.1:${port}/plants`, { headers })
    expect(await response.json()).toHaveLength(10_000)
    await vi.waitUntil(() => counts.length === 3)
    expect(Math.max(...counts)).toBeLessThan(5)
  })

  it('a thousand requests on one connection leave no listener and no timer behind', async () => {
    const { store } = observedStore(longList(1000))
    const { server, port } = await serving(store)
    const { promise, resolve } = Promise.withResolvers<Socket>()
    server.on('connection', resolve)
    const wire = await connect(port)
    const socket = await promise
    const listeners = () => socket.eventNames().map((name) => [name, socket.listenerCount(name)])
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const requests = [
      GET,
      'DELETE /plants/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n',
      'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
    ]
    async function round() {
      for (const request of requests) {
        wire.send(request)
        await wire.receive()
      }
    }
    await round()
    const before = listeners()
    for (let i = 0; i < 250; i++) await round()
    expect(listeners()).toEqual(before)
    expect(timers()).toBeLessThan(100)
    wire.socket.destroy()
  })
})
