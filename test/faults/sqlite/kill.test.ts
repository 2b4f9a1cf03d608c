import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headers, startServer, temporaryFile } from './processes.ts'
import { integrityOf } from './soundness.ts'

const KILLS = 20
const CLIENTS = 32

/** What a client knows of each plant, by name. */
type Knowledge = Map<string, 'there' | 'gone' | 'unknown'>

describe('a server that is killed under write load', () => {
  it(`has lost nothing that it acknowledged, ${KILLS} times over`, async () => {
    const file = temporaryFile()
    const known: Knowledge = new Map()
    // When to kill is chance, and the test's output names the seed of a failing run.
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
        // fetch failed: the connection broke when the server was killed.
        if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(TypeError)
      }
      expect(acknowledged).toBeGreaterThanOrEqual(acknowledgements)
    }
  })
})

/** Compares what is there with what is known, and learns of what was not known. */
async function compare(plants: string, known: Knowledge): Promise<void> {
  const response = await fetch(plants, { headers })
  const names = ((await response.json()) as { name: string }[]).map(({ name }) => name)
  const there = new Set(names)
  expect(names).toHaveLength(there.size)
  expect(names.filter((name) => !known.has(name))).toEqual([])

  const lost = [...known].filter(([name, state]) => state === 'there' && !there.has(name))
  const risen = [...known].filter(([name, state]) => state === 'gone' && there.has(name))
  expect({ lost, risen }).toEqual({ lost: [], risen: [] })
  for (const name of known.keys()) known.set(name, there.has(name) ? 'there' : 'gone')
}
