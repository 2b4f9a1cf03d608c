import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headers, startServer, temporaryFile } from './processes.ts'
import { integrityOf } from './soundness.ts'

const KILLS = 20
const CLIENTS = 32

/** The state of each plant as far as clients know, by name. */
type Knowledge = Map<string, 'there' | 'gone' | 'unknown'>

describe('a server that is killed under write load', () => {
  it(`loses nothing that it acknowledged, ${KILLS} times`, async () => {
    const file = temporaryFile()
    const known: Knowledge = new Map()
    // Random moments to kill. The output of a failing run names the seed.
    const moments = fc.sample(fc.integer({ min: 20, max: 300 }), KILLS)
    let nextId = 0

    for (const acknowledgements of moments) {
      const server = await startServer(file)
      await compare(server.plants, known)
      expect(integrityOf(file)).toBe('ok')
      await writeUntilKilled(server, acknowledgements)
    }
    const server = await startServer(file)
    await compare(server.plants, known)
    expect(integrityOf(file)).toBe('ok')
    await server.kill()

    async function writeUntilKilled(
      server: Awaited<ReturnType<typeof startServer>>,
      acknowledgements: number,
    ) {
      let acknowledged = 0
      let killed: Promise<void> | undefined

      async function send(name: string, method: string, path: string, body?: string) {
        known.set(name, 'unknown')
        const response = await fetch(server.plants + path, { method, headers, body })
        expect(response.status).toBe(method === 'POST' ? 200 : 204)
        known.set(name, method === 'POST' ? 'there' : 'gone')
        if (++acknowledged === acknowledgements) killed = server.kill()
        await response.arrayBuffer()
      }

      async function client() {
        while (!killed) {
          const id = nextId++
          await send(`plant ${id}`, 'POST', '', JSON.stringify({ id, name: `plant ${id}` }))
          if (id % 3 === 0) await send(`plant ${id}`, 'DELETE', `/${id}`)
        }
      }

      const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client))
      await killed
      for (const end of ends) {
        // fetch failed, because the server was killed.
        if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(TypeError)
      }
      expect(acknowledged).toBeGreaterThanOrEqual(acknowledgements)
    }
  })
})

/** Compares the stored plants with the known ones, and updates the unknown ones. */
async function compare(plants: string, known: Knowledge): Promise<void> {
  const response = await fetch(plants, { headers })
  const names = ((await response.json()) as { name: string }[]).map(({ name }) => name)
  const there = new Set(names)
  expect(names).toHaveLength(there.size)
  expect(names.filter((name) => !known.has(name))).toEqual([])

  const lost = [...known].filter(([name, state]) => state === 'there' && !there.has(name))
  const returned = [...known].filter(([name, state]) => state === 'gone' && there.has(name))
  expect({ lost, returned }).toEqual({ lost: [], returned: [] })
  for (const name of known.keys()) known.set(name, there.has(name) ? 'there' : 'gone')
}
