import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import type { IncomingRequest } from '../../src/index.ts'
import { listening } from '../shared/listening.ts'
import { connect } from '../shared/wire.ts'
import { mounted, request } from './mounted.ts'

const MiB = 2 ** 20
const post = (body: BodyInit) =>
  request('/plants', { method: 'POST', body, duplex: 'half' } as RequestInit)

/** A body that has all but its end. */
function unfinished() {
  const end = Promise.withResolvers<ReadableStreamDefaultController>()
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(MiB - 1).fill(0x20))
      end.resolve(controller)
    },
  })
  return { body, controller: end.promise }
}

/** A server, and clients that send all but the end of an announced body. */
async function beginning(count: number) {
  const { port } = await listening(toNodeHandler(mounted({ onError() {} })))
  const clients = await Promise.all(
    Array.from({ length: count }, async (_, id) => {
      const { socket, send, receive } = await connect(port)
      onTestFinished(() => void socket.destroy())
      const end = `{"id":${id},"name":"Fern"}`
      const fields = 'host: a\r\nauthorization: Bearer a\r\ncontent-type: application/json\r\n'
      send(`POST /plants HTTP/1.1\r\n${fields}content-length: ${MiB}\r\n\r\n`)
      return {
        begin: () => send(' '.repeat(MiB - end.length)),
        finish: () => send(end),
        leave: () => socket.destroy(),
        status: statusOf(receive),
      }
    }),
  )
  // By then, the server knows what they have announced.
  await fetch(`http://127.0.0.1:${port}`)
  for (const { begin } of clients) begin()
  const statuses: (number | undefined)[] = []
  for (const { status } of clients) void status.then((status) => statuses.push(status))
  return { port, clients, statuses }
}

async function statusOf(receive: () => Promise<{ status: number } | null>) {
  return (await receive().catch(() => null))?.status
}

async function createSmall(port: number): Promise<number> {
  const body = '{"id":1000,"name":"Aloe"}'
  const headers = { authorization: 'Bearer a', 'content-type': 'application/json' }
  return (await fetch(`http://127.0.0.1:${port}/plants`, { method: 'POST', headers, body })).status
}

describe('The memory of bodies that never end', () => {
  it('is bounded to 16 MiB, beside which small creates go on, and is free again afterwards', async () => {
    const { fetch } = mounted({ onError() {} })
    const bodies = Array.from({ length: 100 }, unfinished)
    const settled: number[] = []
    const responses = bodies.map(async ({ body }) => {
      const response = await fetch(post(body))
      settled.push(response.status)
      return response
    })
    await expect.poll(() => settled).toEqual(Array(84).fill(503))
    expect((await fetch(post('{"id":1,"name":"Aloe"}'))).status).toBe(200)

    for (const { controller } of bodies) (await controller).error(new Error('gone'))
    await Promise.all(responses)
    const large = `{"id":2,"name":"${'a'.repeat(MiB / 2)}"}`
    expect((await fetch(post(large))).status).toBe(200)
  })
})

describe('Announced bodies', () => {
  it('wait for those before them, so that none of 20 at once is refused', async () => {
    const { port, clients, statuses } = await beginning(20)
    expect(await createSmall(port)).toBe(200)
    expect(statuses).toEqual([])
    for (const { finish } of clients) finish()
    await expect.poll(() => statuses).toEqual(Array(20).fill(200))
  })

  it('are refused at once while 32 others wait, and those after 5 s', {
    timeout: 20_000,
  }, async () => {
    const { port, statuses } = await beginning(100)
    await expect.poll(() => statuses, { timeout: 4000 }).toEqual(Array(52).fill(503))
    expect(await createSmall(port)).toBe(200)
    await expect.poll(() => statuses, { timeout: 10_000 }).toEqual(Array(84).fill(503))
  })

  it('leave their room to others when their clients leave', async () => {
    const { clients } = await beginning(48)
    for (const { leave } of clients.slice(0, 47)) leave()
    clients[47]!.finish()
    expect(await clients[47]!.status).toBe(200)
  })
})

/** A create of 1 MiB, whose body comes when `end` is resolved. */
function largeCreate(id: number, isAborted = () => false) {
  const end = Promise.withResolvers<string>()
  const headers: Record<string, string> = {
    authorization: 'Bearer a',
    'content-type': 'application/json',
    'content-length': `${MiB}`,
  }
  const create: IncomingRequest = {
    method: 'POST',
    url: '/plants',
    headers: { get: (name) => headers[name] ?? null },
    readBody(limit) {
      limit.reserve(MiB)
      return end.promise
    },
    toRequest: () => request('/plants'),
    isAborted,
  }
  return { create, finish: () => end.resolve(`{"id":${id},"name":"Fern"}`) }
}

describe('Announced bodies that wait for room', () => {
  it('are not read for a client that has left meanwhile', async () => {
    const { handle } = mounted({ onError() {} })
    const creates = Array.from({ length: 16 }, (_, id) => largeCreate(id))
    const replies = creates.map(({ create }) => handle(create))
    let isGone = false
    const last = largeCreate(16, () => isGone)
    last.finish()
    const reply = handle(last.create)
    isGone = true
    expect(await reply).toMatchObject({ status: 499, body: null })
    for (const { finish } of creates) finish()
    for (const reply of replies) expect(await reply).toMatchObject({ status: 200 })
  })

  it('are not refused when all of them may begin in one moment', async () => {
    const verified = Promise.withResolvers<{ owner: string }>()
    const { handle } = mounted({ onError() {} }, undefined, () => verified.promise)
    const creates = Array.from({ length: 20 }, (_, id) => largeCreate(id))
    const replies = creates.map(({ create }) => handle(create))
    verified.resolve({ owner: 'alice' })
    for (const { finish } of creates) finish()
    for (const reply of replies) expect(await reply).toMatchObject({ status: 200 })
  })
})
