import { ask, stop } from '../../shared/processes.ts'
import { LIST } from '../compare.ts'
import { type Row, ratioRow, type Section, takeTurns } from '../figures.ts'
import type { TokenServer } from '../jwt-process.ts'
import type { LoadResult } from '../load-process.ts'
import { cpuOfProcess, startScript } from '../processes.ts'

const GENERATIONS = 3
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']

/** µs of CPU a list, round by round, by kind of token. */
type Costs = Record<string, number[]>

/** The CPU of a list of 10 with JWTs. */
export const jwt: Section = {
  name: 'jwt',
  about: 'list 10 with JWTs: CPU',
  async run() {
    const seen: Costs = {}
    const neverSeen: Costs = {}
    for (let generation = 0; generation < GENERATIONS; generation++) {
      const child = startScript('server', 'jwt-process.ts')
      const load = startScript('load', 'load-process.ts')
      try {
        addCosts(seen, await measureSeen(child, load))
        addCosts(neverSeen, await ask(child, { what: 'measure', warmUp: 20, rounds: 10 }))
      } finally {
        await Promise.all([stop(child), stop(load)])
      }
    }

    const rowOfSeen = (alg: string): Row => {
      const row = {
        work: `list 10 over HTTP with a JWT (${alg}) seen before`,
        subject: 'plant-store',
      }
      const target = { unit: '× static token', atMost: 1.2 }
      return ratioRow({ ...row, ...target }, seen[alg]!, seen.static!, 'µs')
    }
    const rowOfNeverSeen = (alg: string): Row => {
      const row = { work: `list 10 with JWTs (${alg}) never seen`, subject: 'plant-store, CPU' }
      const target = { unit: '× jose', atMost: 1.1 }
      const [own, jose] = [neverSeen[`${alg} never seen`]!, neverSeen[`${alg} jose`]!]
      return ratioRow({ ...row, ...target }, own, jose, 'µs')
    }
    return [...ALGORITHMS.map(rowOfSeen), ...ALGORITHMS.map(rowOfNeverSeen)]
  },
}

/** Lists over HTTP with one token of each kind. They take turns in one process. */
async function measureSeen(
  child: ReturnType<typeof startScript>,
  load: ReturnType<typeof startScript>,
): Promise<Costs> {
  const servers = await ask<Record<string, TokenServer>>(child, { what: 'servers' })
  const lists = Object.entries(servers).map(([name, { port, token }]) => {
    async function list(): Promise<number> {
      const before = cpuOfProcess(child.pid!)
      const question = { what: 'run', ...LIST, name, port, token, firstId: 0 }
      const { count } = await ask<LoadResult>(load, question)
      return (cpuOfProcess(child.pid!) - before) / count
    }
    return [name, list] as const
  })
  return takeTurns({ warmUp: 10, rounds: 15 }, Object.fromEntries(lists))
}

function addCosts(all: Costs, more: Costs): void {
  for (const [name, series] of Object.entries(more)) all[name] = [...(all[name] ?? []), ...series]
}
