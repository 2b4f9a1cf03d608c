import { checkSameAnswers } from './check.ts'
import { type Load, startLoad } from './load.ts'
import { type Measured, measureRounds, type RoundOptions } from './rounds.ts'
import type { Server } from './server.ts'

/** Starts a server, which may need something of its own in each generation. */
export type Starter = (generation: number) => Promise<Server>

/**
 * Measures several generations of the same servers: code is not compiled alike in every process, nor does
 * every process get the same share of what else runs.
 *
 * @returns what each server did in all of them, in the order of the starters
 */
export async function measureGenerations(
  starters: Starter[],
  { generations, ...options }: RoundOptions & { generations: number },
  log: (line: string) => void,
): Promise<Measured[]> {
  const all: Measured[] = []
  for (let generation = 0; generation < generations; generation++) {
    const measured = await measureGeneration(starters, generation, options, log)
    for (const { server, cpu, throughput } of measured) {
      const known = all.find((one) => one.server.name === server.name)
      if (!known) all.push({ server, cpu, throughput })
      known?.cpu.push(...cpu)
      known?.throughput.push(...throughput)
    }
  }
  return all
}

async function measureGeneration(
  starters: Starter[],
  generation: number,
  options: RoundOptions,
  log: (line: string) => void,
): Promise<Measured[]> {
  const servers: Server[] = []
  let load: Load | undefined
  try {
    // Nobody is always the oldest process, nor always the first to be asked.
    const first = generation % starters.length
    for (const startServer of [...starters.slice(first), ...starters.slice(0, first)]) {
      servers.push(await startServer(generation))
    }
    await checkSameAnswers(servers)
    log('all servers answer alike')
    load = startLoad()
    return await measureRounds(load, servers, options, log)
  } finally {
    await Promise.all([load, ...servers].map((child) => child?.stop()))
  }
}
