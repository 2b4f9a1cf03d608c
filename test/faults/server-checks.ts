import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../src/plant-storage.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { startLoad } from './load.ts'
import type { FaultyProxy } from './proxy.ts'

// The number of times that each fault is injected.
// For a soak of an hour: FAULT_ROUNDS=500 npx vitest run test/faults/postgres
export const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3)

/** A database server. */
interface Server {
  start(): Promise<void>
  stop(): Promise<void>
}

export async function checkRestarts(storage: PlantStorage, server: Server): Promise<void> {
  const load = startLoad(storage)
  for (let round = 0; round < ROUNDS; round++) {
    await load.answered(500)
    await server.stop()
    await server.start()
  }
  await load.answered(500)
  expect((await load.finish()).violations).toEqual([])
}

/** @param storage a storage behind the proxy */
export async function checkLostReplies(storage: PlantStorage, proxy: FaultyProxy): Promise<void> {
  const load = startLoad(storage)
  for (let round = 0; round < ROUNDS; round++) {
    await load.answered(300)
    proxy.swallowReplies(8)
  }
  await load.answered(300)
  const { unknown, violations } = await load.finish()
  expect(violations).toEqual([])
  expect(unknown).toBeGreaterThan(0)
}

/** Checks that an outage is 503 over HTTP, with Retry-After, until the server is back. */
export async function checkOutage(storage: PlantStorage, server: Server): Promise<void> {
  const errors: unknown[] = []
  const store = createPlantStore(storage, () => ({ owner: 'alice' }), {
    onError: (error) => void errors.push(error),
  })
  const create = (id: number) =>
    store.fetch(
      new Request('http://localhost/plants', {
        method: 'POST',
        headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
        body: JSON.stringify({ id, name: 'Fern' }),
      }),
    )

  expect((await create(1)).status).toBe(200)
  await server.stop()
  const during = await Promise.all([2, 3, 4].map(create)).finally(server.start)
  const after = await Promise.all([5, 6, 7].map(create))

  expect(during.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(during.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
  expect(await during[0]!.json()).toMatchObject({ error: 50301 })
  expect(after.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(errors).toHaveLength(3)
  expect(errors[0]).toBeInstanceOf(StorageUnavailableError)
}

/**
 * Checks that several processes agree on which of them created and deleted each plant.
 *
 * @param script what they run. It gets the name of its process and the connection
 */
export async function checkProcesses(script: URL, connection: object): Promise<void> {
  const processes = [1, 2, 3].map((name) =>
    fork(script, [String(name), JSON.stringify(connection)]),
  )
  const reports = async () => {
    const messages = await Promise.all(processes.map((child) => once(child, 'message')))
    return messages.flatMap(([ids]) => ids as string[]).sort((a, b) => Number(a) - Number(b))
  }
  const exits = processes.map((child) => once(child, 'exit'))
  const all = Array.from({ length: 200 }, (_, id) => String(id))
  try {
    expect(await reports()).toEqual(all)
    for (const child of processes) child.send('delete')
    expect(await reports()).toEqual(all)
    await Promise.all(exits)
  } finally {
    for (const child of processes) child.kill()
  }
}
