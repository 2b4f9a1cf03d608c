import assert from 'node:assert/strict'
import { join } from 'node:path'
import { dataDirectory } from '../data-directory.ts'
import type { Figure, Section } from '../figures.ts'
import { type Load, startLoad } from '../load.ts'
import { startPostgres } from '../postgres.ts'
import { type Server, startServer } from '../server.ts'
import { type Spread, spread } from '../statistics.ts'

const ROUNDS = 7
const COUNT = 4_000
const CONNECTIONS = 64

/** One and two processes on one SQLite file and on one PostgreSQL. */
export const processes: Section = {
  name: 'processes',
  about: 'two processes on one SQLite file and on one PostgreSQL: throughput, and correct answers',
  async run() {
    const directory = await dataDirectory()
    const database = await startPostgres()
    const load = startLoad()
    try {
      return [
        ...(await compare('SQLite file', `sqlite:${join(directory, 'plants.db')}`, load)),
        ...(await compare(
          'PostgreSQL',
          `postgres:${await database.createDatabase('shared')}`,
          load,
        )),
      ]
    } finally {
      await load.stop()
      await database.stop()
    }
  },
}

async function compare(what: string, storage: string, load: Load): Promise<Figure[]> {
  const servers: Server[] = []
  try {
    for (let i = 0; i < 2; i++) {
      servers.push(await startServer(`process ${i}`, 'plant-store', storage, 'any'))
    }
    const ports = servers.map(({ port }) => port)
    let firstId = 1
    // Every id is asked for twice at once: what answers otherwise than 200 and 400 fails the run.
    const contend = async (used: number[]) => {
      const work = { kind: 'contend', ports: used, connections: CONNECTIONS, count: COUNT } as const
      const { seconds } = await load.run({ ...work, firstId })
      firstId += COUNT / 2
      return COUNT / seconds
    }
    await contend(ports)

    const one: number[] = []
    const two: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await contend([ports[round % 2]!]))
      two.push(await contend(ports))
    }
    await checkLists(ports, firstId - 1)
    return [figure(what, spread(two.map((value, i) => value / one[i]!)), one, two)]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Each process lists exactly the plants that were told 200, in order. */
async function checkLists(ports: number[], count: number): Promise<void> {
  for (const port of ports) {
    const response = await fetch(`http://127.0.0.1:${port}/plants`, {
      headers: { authorization: 'Bearer token-of-a-writer' },
    })
    const names = ((await response.json()) as { name: string }[]).map(({ name }) => name)
    const expected = Array.from({ length: count }, (_, i) => `Monstera ${i + 1}`)
    assert.deepEqual(names, expected)
  }
}

function figure(what: string, ratio: Spread, one: number[], two: number[]): Figure {
  const perSecond = (values: number[]) => Math.round(spread(values).median)
  return {
    section: 'processes',
    work: `contended creates on one ${what}`,
    subject: '2 processes, throughput',
    value: ratio.median,
    low: ratio.low,
    high: ratio.high,
    unit: '× 1 process',
    note: `${perSecond(one)} and ${perSecond(two)} requests/s; each id was 200 once and 400 once, and both processes list the same`,
  }
}
