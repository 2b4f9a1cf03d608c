import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect as connectSocket, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import { listening } from '../../shared/listening.ts'
import { longList, plants } from '../../shared/plants.ts'
import { ask, startProcess, stop } from '../../shared/processes.ts'
import { folderOfTests } from '../../shared/temporary-folder.ts'
import { head } from '../../shared/wire.ts'
import { tls } from './tls.ts'

const MIB = 1024 * 1024

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a streamed list', () => {
  it('a million plants are streamed in at most 64 MiB', async () => {
    const program = join(import.meta.dirname, 'million-server.ts')
    const child = startProcess([process.execPath, program], {})
    onTestFinished(() => stop(child))
    const url = await ask<string>(child, { what: 'url' })
    const peak = () => ask<number>(child, { what: 'peak' })
    const list = (query: string) =>
      fetch(`${url}/plants${query}`, { headers: { authorization: 'Bearer t' } })
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

  it('parts that come turn after turn are not held back until they stop', async () => {
    const { promise: received, resolve: receive } = Promise.withResolvers<true>()
    let sent = 0
    async function* parts() {
      while (!(await Promise.race([received, turn()]))) {
        sent++
        yield 'a'
      }
    }
    const handle = async () => ({ status: 200, headers: {}, body: parts() })
    const { url } = await listening(toNodeHandler({ handle, notFound: handle }))
    const { body } = await fetch(url)
    for await (const _ of body!) receive(true)
    expect(sent).toBeLessThan(200)
  })
})

describe('a storage that fails in the middle of a list', () => {
  const folder = folderOfTests()

  it.each<[string, (handler: RequestListener) => Server, string | number, (bound: any) => Socket]>([
    [
      'TLS',
      (handler) => createHttpsServer(tls, handler),
      0,
      ({ port }) => connectTls({ port, rejectUnauthorized: false }),
    ],
    ['a Unix socket', createServer, join(folder, 'socket'), connectSocket],
  ])(
    'ends the connection of HTTP/1.0 over %s, which cannot be reset',
    async (_, serverOf, address, connect) => {
      const storage = longList(10_000)
      const { list } = storage
      const { promise: begun, resolve: fail } = Promise.withResolvers<void>()
      storage.list = async (owner, page) => {
        if (storage.reads < 3) return list(owner, page)
        await begun
        throw new Error('The disk is gone')
      }
      const log = vi.spyOn(console, 'error')
      const server = serverOf(toNodeHandler(plants({ onError() {} }, storage))).listen(address)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const socket = connect(server.address())
      socket.write(head('GET /plants').replace('1.1', '1.0'))
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
    },
  )
})
