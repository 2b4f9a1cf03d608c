import { once } from 'node:events'
import { connect as connectTo, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { serve, toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listening } from '../../shared/listening.ts'
import { plants } from '../../shared/plants.ts'
import { connect, head, post } from '../../shared/wire.ts'

const MEGABYTE = Buffer.alloc(1_000_000, ' ')

const server = await serve(plants(), { port: 0 })
afterAll(() => server.close())

/** The head of a create that is refused, since nobody has its token. */
const refused = (framing: string) =>
  head('POST /plants', framing).replace('Bearer t', 'Bearer unknown')

/** Sends so many MB, or fewer if the connection ends. */
async function sendMegabytes(
  wire: { socket: Socket },
  count: number,
  frame = (bytes: Buffer) => bytes,
) {
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
    ['a token that nobody has', refused('Content-Length: 2000000'), 401],
    ['a body that is announced too large', post('', 2_000_000), 413],
  ])('is not carried out: %s', async (_, request, status) => {
    const storage = memoryStorage()
    await storage.create('alice', { id: 7n, name: 'Aloe' })
    const own = await serve(plants({}, storage), { port: 0 })
    const wire = await connect(own.port)
    wire.send(request)
    expect(await wire.receive()).toMatchObject({ status, headers: { connection: 'close' } })
    await sendMegabytes(wire, 2)
    wire.send(head('DELETE /plants/7'))
    expect(await wire.receive()).toBeNull()
    await own.close()
    expect(await storage.list('alice', { limit: 9 })).toHaveLength(1)
  })
})

// Fastify has no limit of its own for the time of a request.
const HOSTS: Record<string, () => Promise<number>> = {
  serve: async () => server.port,
  Fastify: async () => {
    const app = Fastify().register(toFastifyPlugin(plants()))
    onTestFinished(() => app.close())
    return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  },
}

describe.each(Object.entries(HOSTS))('the rest of a refused body, with %s', (_, start) => {
  /** Begins a create, and collects what comes. The client doesn't end its side when the server does. */
  async function begin(framing: string) {
    const socket = connectTo({ port: await start(), host: '127.0.0.1', allowHalfOpen: true })
    const received: string[] = []
    socket.on('error', () => {}).on('data', (data) => received.push(String(data)))
    onTestFinished(() => void socket.destroy())
    socket.write(refused(framing))
    await once(socket, 'data')
    return { socket, received }
  }

  it.each([
    ['with a length', 'Content-Length: 64000000', (bytes: Buffer) => bytes],
    ['in chunks', 'Transfer-Encoding: chunked', asChunk],
  ])('is read up to 64 MB, so that its client sees the response: %s', async (_, field, frame) => {
    const { socket, received } = await begin(field)
    expect(await sendMegabytes({ socket }, 64, frame)).toBe(64)
    expect(received.join('')).toMatch(/^HTTP\/1.1 401 /)
    expect(socket.destroyed).toBe(false)
  })

  it.each([
    ['96 MiB', 500, asChunk],
    ['10 000 chunks of one byte', 50, () => Buffer.from('1\r\nx\r\n'.repeat(100_000))],
  ])('is no longer read after %s', async (_, most, frame) => {
    const { socket } = await begin('Transfer-Encoding: chunked')
    expect(await sendMegabytes({ socket }, 1000, frame)).toBeLessThan(most)
  })

  it.each([
    ['of a small one', 'Content-Length: 60000'],
    ['of a large one', 'Content-Length: 60000000'],
    ['of chunks', 'Transfer-Encoding: chunked'],
  ])('is waited for 30 s in all, however little of it comes: %s', async (_, field) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { socket } = await begin(field)
    for (let second = 0; second < 29; second++) {
      socket.write('1\r\nx\r\n')
      await setTimeout(20)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(socket.destroyed).toBe(false)
    await vi.advanceTimersByTimeAsync(2000)
    while (!socket.destroyed) {
      socket.write(' ')
      await new Promise(setImmediate)
    }
  })

  it('is waited for 5 s while nothing of it comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { socket } = await begin('Content-Length: 60000000')
    const ended = once(socket, 'end')
    await vi.advanceTimersByTimeAsync(4900)
    expect(socket.readableEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    await ended
  })
})

it.each([
  ['of 64 KiB keeps', 'Content-Length: 65536', 'keep-alive'],
  ['of more ends', 'Content-Length: 65537', 'close'],
  ['of unknown size ends', 'Transfer-Encoding: chunked', 'close'],
])('an unread body %s the connection', async (_, framing, connection) => {
  const wire = await connect(server.port)
  wire.send(refused(framing))
  expect(await wire.receive()).toMatchObject({ status: 401, headers: { connection } })
  if (connection === 'close') return
  wire.send(' '.repeat(65_536) + head('GET /plants?limit=0'))
  expect(await wire.receive()).toMatchObject({ status: 200, body: '[]' })
})

it('a refused body of chunks that has come as a whole keeps its connection', async () => {
  const store = createPlantStore(memoryStorage(), async () => await setTimeout(20, null))
  const { port } = await listening(toNodeHandler(store))
  const wire = await connect(port)
  for (let times = 0; times < 2; times++) {
    wire.send(`${head('POST /plants', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`)
    const answer = await wire.receive()
    expect(answer).toMatchObject({ status: 401 })
    expect(answer!.headers.connection).not.toBe('close')
  }
})

it('a client that hangs up in the middle of its body, but still reads, gets a response', async () => {
  const wire = await connect(server.port)
  wire.socket.end(post('{"id":1', 24))
  expect(await wire.receive()).toMatchObject({ status: 400 })
  expect(await wire.receive()).toBeNull()
})
