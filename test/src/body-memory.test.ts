import { describe, expect, it } from 'vitest'
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

describe('The memory of bodies that never end', () => {
  it('is bounded to 32 MiB, beside which small creates go on, and is free again afterwards', async () => {
    const { fetch } = mounted({ onError() {} })
    const bodies = Array.from({ length: 100 }, unfinished)
    const settled: number[] = []
    const responses = bodies.map(async ({ body }) => {
      const response = await fetch(post(body))
      settled.push(response.status)
      return response
    })
    await expect.poll(() => settled).toEqual(Array(68).fill(503))
    expect((await fetch(post('{"id":1,"name":"Aloe"}'))).status).toBe(200)

    for (const { controller } of bodies) (await controller).error(new Error('gone'))
    await Promise.all(responses)
    const large = `{"id":2,"name":"${'a'.repeat(MiB / 2)}"}`
    expect((await fetch(post(large))).status).toBe(200)
  })
})
