import { expect, it, onTestFinished } from 'vitest'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore, type PlantStorage } from '../../../src/index.ts'
import { listen } from '../../shared/listen.ts'

/**
 * Tests that a storage ends its request to a database behind HTTP when nobody waits for it any more.
 *
 * @param open opens the storage on a database that never answers
 */
export function describeSignal(open: (url: string) => PlantStorage): void {
  it.each<[string, RequestInit]>([
    ['/plants', {}],
    ['/plants', { method: 'POST', body: '{"id":1,"name":"Fern"}' }],
    ['/plants/1', { method: 'DELETE' }],
  ])('ends its request to a database when the client has left: %s %o', async (path, init) => {
    let received = 0
    let running = 0
    const database = await listen((_request, response) => {
      received++
      running++
      response.on('close', () => running--)
    })
    onTestFinished(database.close)
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
}
