import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createPlantStore,
  type PlantStorage,
  type PlantStore,
  type ResponseEvent,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { guideFiles } from './guide-files.ts'
import { codeBlocks } from './guides.ts'

/** A response of Acorn, the made-up framework, that records what it is told. */
class Response {
  calls: string[] = []
  text = ''
  write = async (text: string): Promise<void> => {
    this.text += text
  }
  send(status: number, _headers: object, body: string | null): void {
    this.calls.push(`send ${status} ${body}`)
  }
  start(status: number): void {
    this.calls.push(`start ${status}`)
  }
  end(): void {
    this.calls.push('end')
  }
  abort(): void {
    this.calls.push('abort')
  }
}

type Handler = (request: object, response: Response, next: () => void) => Promise<void>

const { code } = codeBlocks('adapters/AUTHORS.md').find(({ file }) => file === 'acorn-adapter.ts')!
const importFile = guideFiles('adapters/AUTHORS.md')
let toAcornHandler: (store: PlantStore) => Handler

beforeAll(async () => {
  ;({ toAcornHandler } = await importFile('acorn-adapter.ts'))
})

describe('The adapter in the guide', () => {
  const events: ResponseEvent[] = []
  const plants = Array.from({ length: 1000 }, (_, i) => ({ id: BigInt(i), name: `Fern ${i}` }))
  let pages = 0
  let lastPage = Number.POSITIVE_INFINITY
  const storage = memoryStorage({ alice: plants })
  const counted: PlantStorage = {
    ...storage,
    list(owner, query) {
      pages++
      if (pages > lastPage) throw new Error('The disk is gone')
      return storage.list(owner, query)
    },
  }
  const store = createPlantStore(counted, () => ({ owner: 'alice' }), {
    onError() {},
    onResponse: (event) => void events.push(event),
  })

  function call(response: Response, path: string, init: { method?: string; body?: string } = {}) {
    pages = 0
    events.length = 0
    const controller = new AbortController()
    let isPassedOn = false
    const { method = 'GET', body = '' } = init
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const { signal } = controller
    const url = `http://acorn.example/api${path}`
    const request = { method, path, url, headers, body: Readable.from([Buffer.from(body)]), signal }
    const done = toAcornHandler(store)(request, response, () => {
      isPassedOn = true
    })
    return { controller, done: done.then(() => isPassedOn) }
  }

  it('has fewer than forty lines', () => {
    expect(code.split('\n').length).toBeLessThan(40)
  })

  it('serves the operations, and leaves other paths to the host', async () => {
    const response = new Response()
    await call(response, '/plants', { method: 'POST', body: '{"id":-7,"name":"Aloe"}' }).done
    await call(response, '/plants/-7', { method: 'DELETE' }).done
    expect(response.calls).toEqual(['send 200 {"name":"Aloe"}', 'send 204 null'])
    expect(await call(response, '/other').done).toBe(true)
  })

  it('streams a list, and reads no page before the page before it is sent', async () => {
    const response = new Response()
    const sent = Promise.withResolvers<void>()
    const { write } = response
    response.write = (text) => sent.promise.then(() => write(text))
    const { done } = call(response, '/plants')
    for (let turns = 0; turns < 100; turns++) await setImmediate()
    expect(pages).toBeLessThanOrEqual(2)
    sent.resolve()
    await done
    expect(response.calls).toEqual(['start 200', 'end'])
    expect(JSON.parse(response.text)).toHaveLength(1000)
  })

  it('stops reading when the client hangs up', async () => {
    const response = new Response()
    response.write = async () => {
      throw new Error('The client has disconnected')
    }
    await call(response, '/plants').done
    expect(pages).toBeLessThanOrEqual(2)
    expect(events[0]).toMatchObject({ outcome: 'aborted' })
  })

  it('stops between two pages when the signal is aborted', async () => {
    const response = new Response()
    const { controller, done } = call(response, '/plants')
    response.write = async () => controller.abort()
    await done
    expect(pages).toBeLessThanOrEqual(2)
    expect(response.calls).toEqual(['start 200', 'abort'])
    expect(events[0]).toMatchObject({ outcome: 'aborted' })
  })

  it('sends nothing to a client that hung up before the response', async () => {
    const response = new Response()
    const { controller, done } = call(response, '/plants')
    controller.abort()
    await done
    expect(response.calls).toEqual([])
  })

  it('breaks the connection when the list fails', async () => {
    lastPage = 3
    const response = new Response()
    await call(response, '/plants').done
    expect(response.calls).toEqual(['start 200', 'abort'])
    expect(events[0]).toMatchObject({ outcome: 'failed' })
    expect(() => JSON.parse(response.text)).toThrow()
  })
})
