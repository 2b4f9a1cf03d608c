import { once } from 'node:events'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listening } from '../../shared/listening.ts'
import { plants } from '../../shared/plants.ts'
import { connect, head, post } from '../../shared/wire.ts'
import { tls } from './tls.ts'

const LIST = head('GET /plants?limit=1')

/** Uses the CPU for so many ms. */
function work(ms: number): void {
  for (const begin = performance.now(); performance.now() - begin < ms; );
}

describe('toNodeHandler under load', () => {
  it('serves other connections between the requests of a pipeline', async () => {
    const owners: string[] = []
    const storage = {
      ...memoryStorage(),
      list(owner: string) {
        if (owners.push(owner) === 1) other.send(LIST.replace('Bearer t', 'Bearer other'))
        work(2)
        return []
      },
    }
    const verifier = staticTokens({ t: 'alice', other: 'bob' })
    const { port } = await listening(toNodeHandler(createPlantStore(storage, verifier)))
    const [one, other] = [await connect(port), await connect(port)]
    one.send(LIST.repeat(200))
    await other.receive()
    expect(owners.length).toBeLessThan(50)
  })

  it.each([
    ['small', LIST],
    ['large', head('GET /plants?limit=1', `X-Long: ${'x'.repeat(8000)}`)],
  ])('reads no more %s requests than wait already, and answers all of them', async (_, list) => {
    const handler = toNodeHandler(createPlantStore(memoryStorage(), () => ({ owner: 'alice' })))
    let waiting = 0
    let most = 0
    const { port } = await listening((request, response) => {
      most = Math.max(most, ++waiting)
      response.once('finish', () => waiting--)
      handler(request, response)
    })
    const { socket } = await connect(port)
    const count = 5000
    const last = head('GET /plants?limit=1', 'Connection: close')
    const answers = text(socket)
    socket.write(list.repeat(count - 1) + last)
    expect((await answers).split('HTTP/1.1 200 OK')).toHaveLength(count + 1)
    // Node parses what it has read, 64 KiB, and reads as much again before it pauses.
    expect(most).toBeLessThan(16 + (2 * 64 * 1024) / list.length)
  })

  it('answers all of a short pipeline to a client that has ended its side', async () => {
    const storage = memoryStorage()
    const list: typeof storage.list = (...query) => {
      work(3)
      return storage.list(...query)
    }
    const { port } = await listening(toNodeHandler(plants({}, { ...storage, list })))
    const { socket } = await connect(port)
    const answers = text(socket)
    socket.end(LIST.repeat(5))
    expect((await answers).split('HTTP/1.1 200 OK')).toHaveLength(6)
  })

  it('answers over TLS a client that has ended its side', async () => {
    const { port } = await listening(createServer(tls, toNodeHandler(plants())))
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true }
    const clients = Array.from({ length: 100 }, () => connectTls(options))
    await Promise.all(clients.map((client) => once(client, 'secureConnect')))
    const answers = clients.map((client) => text(client))
    for (const client of clients) client.end(LIST)
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('begins with a large body at once, since Node reads on while its request waits', async () => {
    const store = plants()
    let waiting = 0
    let most = 0
    const handle: typeof store.handle = (request) => {
      most = Math.max(most, waiting--)
      return store.handle(request)
    }
    const handler = toNodeHandler({ ...store, handle })
    const { port, server } = await listening((request, response) => {
      waiting++
      handler(request, response)
    })
    let accepted = 0
    server.on('connection', () => accepted++)
    const wires = await Promise.all(Array.from({ length: 200 }, () => connect(port)))
    await expect.poll(() => accepted).toBe(200)
    for (const { send } of wires) send(post('{', 1_000_000))
    await Promise.all(wires.slice(50).map(({ receive }) => receive()))
    expect(most).toBe(1)
  })
})
