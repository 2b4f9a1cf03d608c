import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../shared/wire.ts'
import { hosts } from './hosts.ts'
import { type Program, startProgram } from './program.ts'

const MiB = 2 ** 20
/** A list of a million is 10 000 reads of the storage, 12 kB each. What sockets hold is some MB of it. */
const FEW_READS = 1500
/** The whole list is about 125 MB. */
const LITTLE_MEMORY = 48 * MiB

describe.concurrent.each(Object.entries(hosts))('A client of %s', (_name, command) => {
  let program: Program
  beforeAll(async () => {
    program = await startProgram(command, { COUNTING: '1' })
  })
  afterAll(() => program?.stop())

  it('that stops reading holds up the storage, and that hangs up stops it', async () => {
    await settledCounts(program.url)
    const before = await counts(program.url)
    const socket = await open(program.url)
    socket.write(head('GET /plants', 'million'))
    let received = 0
    while (received < 10_000) received += (await once(socket, 'data'))[0].length
    socket.pause()

    const waiting = await settledCounts(program.url)
    expect(waiting.reads - before.reads).toBeLessThan(FEW_READS)
    expect(waiting.memory - before.memory).toBeLessThan(LITTLE_MEMORY)

    socket.destroy()
    const after = await settledCounts(program.url)
    expect(after.reads - waiting.reads).toBeLessThanOrEqual(2)
  })

  it('that hangs up in the middle of its body leaves nothing behind', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(program.url)))
    for (const socket of sockets) {
      socket.write(
        head('POST /plants', 'alice', 'content-type: application/json', 'content-length: 100'),
      )
      // A plant, had it been the whole.
      socket.write('{"id":7,"name":"Monstera"}')
    }
    await settledCounts(program.url)
    for (const socket of sockets) socket.destroy()
    await settledCounts(program.url)

    const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
    const list = await fetch(`${program.url}/plants`, { headers })
    expect(await list.json()).toEqual([])
    const body = '{"id":7,"name":"Monstera"}'
    const created = await fetch(`${program.url}/plants`, { method: 'POST', headers, body })
    expect(created.status).toBe(200)
  })

  it('that ends its side after its request gets its response, however many do so at once', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open(program.url)))
    const answers = sockets.map((socket) => text(socket))
    for (const socket of sockets) socket.end(head('GET /plants?limit=1', 'nobody'))
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})

interface Counts {
  reads: number
  memory: number
}

async function counts(url: string): Promise<Counts> {
  const response = await fetch(`${url}/plants`, { headers: { authorization: 'Bearer counts' } })
  const [{ name }] = await response.json()
  return JSON.parse(name)
}

/** The counts when the storage has not been read while the server has answered ten requests. */
async function settledCounts(url: string): Promise<Counts> {
  let last = await counts(url)
  for (let same = 0; same < 10; ) {
    const now = await counts(url)
    same = now.reads === last.reads ? same + 1 : 0
    last = now
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return last
}

async function open(url: string) {
  const { socket } = await connect(Number(new URL(url).port))
  return socket
}

function head(requestLine: string, token: string, ...headers: string[]): string {
  const lines = [`${requestLine} HTTP/1.1`, 'host: a', `authorization: Bearer ${token}`, ...headers]
  return `${lines.join('\r\n')}\r\n\r\n`
}
