import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RunningServer, serve, toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listening } from '../../shared/listening.ts'
import { connect, type Wire } from '../../shared/wire.ts'
import { plants } from './plants.ts'

const MEGABYTE = Buffer.alloc(1_000_000, ' ')

let server: RunningServer
beforeAll(async () => {
  server = await serve(plants(), { port: 0 })
})
afterAll(() => server.close())

const post = (fields: string) => `POST /plants HTTP/1.1\r\nHost: garden\r\n${fields}\r\n`
const AUTH = 'Authorization: Bearer t\r\nContent-Type: application/json\r\n'

/** Sends so many MB, or fewer if the connection ends. */
async function sendMegabytes(wire: Wire, count: number, frame = (bytes: Buffer) => bytes) {
  let wake = () => {}
  for (const event of ['drain', 'close']) wire.socket.on(event, () => wake())
  let sent = 0
  for (; sent < count && wire.socket.writable; sent++) {
    if (wire.socket.write(frame(MEGABYTE))) continue
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  return sent
}

const asChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

// RFC 9112, section 9.6
describe('a request after a response that closes the connection', () => {
  it.each([
    ['a body without a token', '', 401],
    ['a body that is announced too large', AUTH, 413],
  ])('is not carried out: %s', async (_, fields, status) => {
    const storage = memoryStorage()
    await storage.create('alice', { id: 7n, name: 'Aloe' })
    const own = await serve(plants({}, storage), { port: 0 })
    const wire = await connect(own.port)
    const size = 2 * MEGABYTE.length
    wire.send(post(`${fields}Content-Length: ${size}\r\n`))
    const refusal = await wire.receive()
    expect(refusal).toMatchObject({ status, headers: { connection: 'close' } })
    await sendMegabytes(wire, 2)
    wire.send(`DELETE /plants/7 HTTP/1.1\r\nHost: garden\r\n${AUTH}\r\n`)
    expect(await wire.receive()).toBeNull()
    await own.close()
    expect(await storage.list('alice', { limit: 9 })).toHaveLength(1)
  })
})

describe('the rest of a refused body', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is no longer taken in after 128 MiB', async () => {
    const wire = await connect(server.port)
    wire.send(post(`${AUTH}Transfer-Encoding: chunked\r\n`))
    expect(await sendMegabytes(wire, 1000, asChunk)).toBeLessThan(500)
    expect(await wire.receive()).toMatchObject({ status: 413 })
  })

  it('is no longer waited for after 2 seconds without any of it', async () => {
    const handle = toNodeHandler(plants())
    const requested = Promise.withResolvers<IncomingMessage>()
    const { port } = await listening((request, response) => {
      requested.resolve(request)
      handle(request, response)
    })
    const wire = await connect(port)
    wire.send(post(`${AUTH}Content-Length: 100000000\r\n`))
    expect(await wire.receive()).toMatchObject({ status: 413 })
    const request = await requested.promise
    for (let times = 0; times < 3; times++) {
      vi.advanceTimersByTime(1999)
      wire.send(' ')
      await Promise.race([once(request, 'data'), once(wire.socket, 'end')])
      expect(wire.socket.readableEnded).toBe(false)
    }
    vi.advanceTimersByTime(2000)
    expect(await wire.receive()).toBeNull()
  })

  it.each([
    ['POST', 401],
    ['OPTIONS', 204],
  ])('of %s ends the connection when it has come, and leaves no timer', async (method, status) => {
    const wire = await connect(server.port)
    wire.send(post('Content-Length: 70000\r\n').replace('POST', method))
    expect(await wire.receive()).toMatchObject({ status })
    expect(vi.getTimerCount()).toBe(1)
    wire.send(' '.repeat(70_000))
    expect(await wire.receive()).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a refused body of chunks that has come as a whole keeps its connection', async () => {
  const store = createPlantStore(memoryStorage(), async () => await setTimeout(20, null))
  const { port } = await listening(toNodeHandler(store))
  const wire = await connect(port)
  for (let times = 0; times < 2; times++) {
    wire.send(`${post(`${AUTH}Transfer-Encoding: chunked\r\n`)}2\r\n{}\r\n0\r\n\r\n`)
    const answer = await wire.receive()
    expect(answer).toMatchObject({ status: 401 })
    expect(answer!.headers.connection).not.toBe('close')
  }
})

it('a client that hangs up in the middle of its body, but still reads, gets a response', async () => {
  const wire = await connect(server.port)
  wire.socket.end(`${post(`${AUTH}Content-Length: 24\r\n`)}{"id":1`)
  expect(await wire.receive()).toMatchObject({ status: 400 })
  expect(await wire.receive()).toBeNull()
})
