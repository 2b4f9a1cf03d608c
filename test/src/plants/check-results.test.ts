import { describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mounted, request } from '../mounted.ts'

/** Sends a request to a store on this storage, and returns the error value, and what `onError` got. */
async function send(
  storage: Partial<Record<keyof PlantStorage, unknown>>,
  method: string,
  path = '',
) {
  const errors: unknown[] = []
  const { fetch } = mounted({ onError: (error) => void errors.push(error) }, {
    ...memoryStorage(),
    ...storage,
  } as PlantStorage)
  const sent = method === 'POST' ? '{"id":1,"name":"Aloe"}' : undefined
  const response = await fetch(request(`/plants${path}`, { method, body: sent }))
  const body = await response.text().catch(() => 'broken')
  return { status: response.status, headers: response.headers, body, errors: errors.map(String) }
}

const plants = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Aloe' }))

describe('a storage that returns an invalid result', () => {
  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [0, 'a number'],
    ['false', 'a string'],
    [{ changes: 0 }, 'an object'],
  ])('from create or delete is a 500: %j', async (result, got) => {
    for (const [name, method, path] of [
      ['create', 'POST', ''],
      ['delete', 'DELETE', '/1'],
    ] as const) {
      for (const returned of [result, Promise.resolve(result)]) {
        expect(await send({ [name]: () => returned }, method, path)).toMatchObject({
          status: 500,
          errors: [`TypeError: The storage's ${name} must return true or false; got ${got}`],
        })
      }
    }
  })

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'an array; got undefined'],
    ['rows', { rows: [] }, 'an array; got an object'],
    ['more than the limit', plants(1n, 2n, 3n), 'at most 2 plants; got 3'],
    ['a plant that is undefined', [undefined], 'plants with a bigint id; got undefined'],
    ['a sparse array', new Array(1), 'plants with a bigint id; got undefined'],
    ['a numeric id', [{ id: 1, name: 'Aloe' }], 'plants with a bigint id; got a number'],
    ['an id beyond int64', plants(2n ** 63n), 'ids that are int64; got 9223372036854775808'],
    [
      'an id below int64',
      plants(-(2n ** 63n) - 1n),
      'ascending ids greater than -9223372036854775809; got -9223372036854775809',
    ],
    ['no name', [{ id: 1n }], 'plants with a name; got undefined'],
    [
      'a numeric tag',
      [{ id: 1n, name: 'a', tag: 1 }],
      'plants with a string as tag, or undefined; got a number',
    ],
    ['ids that descend', plants(2n, 1n), 'ascending ids greater than 2; got 1'],
    ['an id twice', plants(1n, 1n), 'ascending ids greater than 1; got 1'],
  ])('from list is a 500: %s', async (_, result, message) => {
    for (const returned of [result, Promise.resolve(result)]) {
      expect(await send({ list: () => returned }, 'GET', '?limit=1')).toMatchObject({
        status: 500,
        errors: [`TypeError: The storage's list must return ${message}`],
      })
    }
  })

  it('truncates the endless list of a storage that ignores after', async () => {
    const page = plants(...Array.from({ length: 101 }, (_, i) => BigInt(i)))
    expect(await send({ list: () => page }, 'GET')).toMatchObject({
      body: 'broken',
      errors: ["TypeError: The storage's list must return ascending ids greater than 100; got 0"],
    })
  })

  it('has each member of a plant read once, so what was checked is what is sent', async () => {
    const flips = <T>(first: T) => {
      let reads = 0
      return () => (reads++ === 0 ? first : { toJSON: () => 'unchecked' })
    }
    const members = { id: 1n, name: 'Aloe', tag: 'succulent' }
    const plant = {}
    for (const [key, value] of Object.entries(members)) {
      Object.defineProperty(plant, key, { get: flips(value), enumerable: true })
    }
    expect(await send({ list: () => [plant] }, 'GET')).toMatchObject({
      status: 200,
      body: '[{"name":"Aloe","tag":"succulent"}]',
    })
  })
})

describe('an error of a storage', () => {
  it('is recognised by its code, so that a second copy of the package works too', async () => {
    const ofAnotherCopy = Object.assign(new Error('down'), { code: 'storage_unavailable' })
    for (const error of [new StorageUnavailableError('down'), ofAnotherCopy]) {
      const { status, headers, errors } = await send({ list: () => Promise.reject(error) }, 'GET')
      expect([status, headers.get('retry-after'), errors]).toEqual([503, '1', [String(error)]])
    }
  })
})
