import { expect, it, vi } from 'vitest'
import { type D1, d1Migration, d1Storage } from '../../../src/storage/d1.ts'
import { createListDelete } from './each-call.ts'

/** A handle of node:sqlite as `d1Storage` takes it. */
function handleWith(settings: { readBigInts?: boolean; asText?: boolean }): D1 {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(':memory:', { readBigInts: settings.readBigInts ?? false })
  database.exec(d1Migration())
  const toText = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]),
    )
  return {
    prepare: (sql) => ({
      bind: (...values) => ({
        async all() {
          const rows = database.prepare(sql).all(...values)
          return { results: (settings.asText ? rows.map(toText) : rows) as never }
        },
      }),
    }),
  }
}

it('a function is asked for the handle of each call, with the call', async () => {
  const handle = handleWith({})
  const handleOf = vi.fn(() => handle)
  const storage = d1Storage(handleOf)
  const call = { signal: new AbortController().signal }
  await storage.create('alice', { id: 1n, name: 'Fern' }, call)
  await storage.delete('alice', 1n, call)
  await storage.list('alice', { limit: 1 })
  expect(handleOf.mock.calls).toEqual([[call], [call], [undefined]])
})

it('a list is one statement, since each is a round trip', async () => {
  const handle = handleWith({})
  const prepare = vi.spyOn(handle, 'prepare')
  const storage = d1Storage(handle)
  await storage.list('alice', { limit: 500 })
  const checking = prepare.mock.calls.length
  await storage.list('alice', { limit: 500 })
  expect(prepare).toHaveBeenCalledTimes(checking + 1)
})

it.each([
  ['numbers', {}],
  ['bigints', { readBigInts: true }],
  ['text', { asText: true }],
])('a handle that returns integers as %s is as good as another', async (_, settings) => {
  await createListDelete(d1Storage(handleWith(settings)))
})
