import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore, type PlantStorage } from '../../../src/index.ts'
import { type Listening, listen } from '../../shared/listen.ts'

/**
 * Tests that a storage ends its request to a database behind HTTP when nobody waits for it any more.
 *
 * @param open opens the storage on a database that never answers
 */
export function describeSignal(open: (url: string) => PlantStorage): void {
  describe('a request to a database that does not answer', () => {
    let database: Listening
    let running = 0
    let received = 0
    beforeEach(async () => {
      running = received = 0
      database = await listen((_request, response) => {
        received++
        running++
        response.on('close', () => running--)
      })
    })
    afterEach(() => database.close())

    const calls: [string, RequestInit][] = [
      ['/plants', {}],
      ['/plants', { method: 'POST', body: '{"id":1,"name":"Fern"}' }],
      ['/plants/1', { method: 'DELETE' }],
    ]

    it.each(calls)('ends when the client has left: %s %o', async (path, init) => {
      const client = new AbortController()
      const errors: unknown[] = []
      const store = createPlantStore(open(database.url), staticTokens({ s3cret: 'alice' }), {
        onError: (error) => void errors.push(error),
      })
      const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
      const sent = { ...init, headers, signal: client.signal }
      const response = store.fetch(new Request(`http://localhost${path}`, sent))
      await expect.poll(() => running).toBe(1)
      client.abort()
      await response
      await expect.poll(() => [received, running]).toEqual([1, 0])
      expect(errors).toEqual([])
    })
  })
}
