import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { testPlantStorage } from '../../../src/testing.ts'

describe('memoryStorage with plants to start with', () => {
  const monstera = { id: 7n, name: 'Monstera', tag: 'indoor' }
  const ficus = { id: -1n, name: 'Ficus' }

  it('lists them by owner, in the order of their ids', () => {
    const storage = memoryStorage({ alice: [monstera, ficus], bob: [monstera], carol: [] })
    expect(storage.list('alice', { limit: 9 })).toStrictEqual([ficus, monstera])
    expect(storage.list('bob', { limit: 9 })).toEqual([monstera])
    expect(storage.list('carol', { limit: 9 })).toEqual([])
    expect(storage.create('bob', monstera)).toBe(false)
    expect(storage.delete('alice', 7n)).toBe(true)
  })

  it('copies them, so that later changes of the argument have no effect', () => {
    const plants = { alice: [{ ...monstera }] }
    const storage = memoryStorage(plants)
    plants.alice[0]!.name = 'Weed'
    plants.alice.push({ ...monstera, id: 8n })
    expect(storage.list('alice', { limit: 9 })).toEqual([monstera])
  })

  const TAKES =
    "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }:"
  it.each<[string, unknown, string]>([
    [
      'a duplicate id',
      { bob: [monstera], alice: [monstera, ficus, monstera] },
      'The plants of alice must have different ids; got 7 twice',
    ],
    ['null', null, `${TAKES} it must be an object; got null`],
    [
      'a plant in place of an array',
      { alice: monstera },
      `${TAKES} alice must be an array; got an object`,
    ],
    [
      'plants with wrong members',
      { alice: [ficus, { id: 2n ** 63n, tag: null }] },
      `${TAKES} alice.1.id must be an integer from -9223372036854775808 to 9223372036854775807; got 9223372036854775808; alice.1.name is required; alice.1.tag must be a string; got null`,
    ],
  ])('refuses %s', (_, plants, message) => {
    expect(() => memoryStorage(plants as never)).toThrow(new TypeError(message))
  })
})

describe('memoryStorage', () => {
  testPlantStorage({ describe, it }, () => memoryStorage())
})
