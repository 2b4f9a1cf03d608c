import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPlantStore, NewPlant, type StoredPlant } from '../../src/index.ts'
import { parseWithExactId } from '../../src/plants/exact-json.ts'

const INT64 = 'must be an integer from -9223372036854775808 to 9223372036854775807'

const id = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n) - 2n, max: 2n ** 63n + 1n }).map(String),
  fc.constantFrom(`${-(2n ** 63n)}`, `${-(2n ** 63n) - 1n}`, `${2n ** 63n - 1n}`, `${2n ** 63n}`),
  fc.json({ maxDepth: 1 }),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', 'a\0b', '\ud800', '\udfff', '\ud83c\udf31', '\udf31\ud83c'),
)
const member = fc.oneof(
  { arbitrary: text.map((value) => JSON.stringify(value)), weight: 4 },
  fc.json(),
)
const members = fc.record({ id, name: member, tag: member, color: member }, { requiredKeys: [] })
const body = fc.oneof({ arbitrary: members.map(toJson), weight: 9 }, fc.json())

function toJson(values: Record<string, string>): string {
  const entries = Object.entries(values).map(([key, value]) => `${JSON.stringify(key)}:${value}`)
  return `{${entries.join(',')}}`
}

function toMessage({ issues }: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const problems = issues.map(({ path, message }) => `${path.join() || 'The body'} ${message}`)
  return `${problems.join('. ')}.`
}

describe('NewPlant', () => {
  it('accepts and rejects the same plants as a create, with the same messages', async () => {
    let stored: StoredPlant | undefined
    const storage = {
      create: (_: string, plant: StoredPlant) => {
        stored = plant
        return true
      },
      list: () => [],
      delete: () => false,
    }
    const store = createPlantStore(storage, (_token) => ({ owner: 'alice' }))
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    await fc.assert(
      fc.asyncProperty(body, async (json) => {
        stored = undefined
        const init = { method: 'POST', headers, body: json }
        const response = await store.fetch(new Request('http://localhost/plants', init))
        const { data, error } = NewPlant.safeParse(parseWithExactId(json))
        expect(stored).toStrictEqual(data)
        expect(response.status).toBe(error ? 400 : 200)
        if (error) expect((await response.json()).message).toBe(toMessage(error))
      }),
      { numRuns: 2000 },
    )
  })

  it.each<[object, string]>([
    [{ id: 2n ** 63n, name: 'a' }, `${INT64}; got 9223372036854775808`],
    [{ id: 7.5, name: 'a' }, `${INT64}; got 7.5`],
    [{ id: '7', name: 'a' }, `${INT64}; got a string`],
    [{ name: 'a' }, 'is required'],
    [{ id: 7n, name: 7 }, 'must be a string; got 7'],
    [{ id: 7n, name: 'a\0' }, 'must not contain U+0000 or a lone surrogate'],
  ])('says what is wrong: %#', (plant, message) => {
    expect(NewPlant.safeParse(plant).error?.issues.map((issue) => issue.message)).toEqual([message])
  })
})
