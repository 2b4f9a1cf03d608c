import { ask, stop } from '../../shared/processes.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import { log, type Row } from '../figures.ts'
import { startScript } from '../processes.ts'
import { type Contestant, node } from '../servers.ts'

const AFTER_MS = [1, 10]
const REQUESTS = 20_000
const RUNS = 3

/** Lists and creates on a storage that answers later: the CPU of a request, and what of it lives on. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const ms of AFTER_MS) {
    const own = node('plant-store', 'plant-store', `after:${ms}`)
    const other = node('floor', 'floor', `after:${ms}`)
    const where = `over HTTP, storage after ${ms} ms`
    const measures = { cpu: { atMost: 1.2 } }
    const works = [LIST, CREATE]
    rows.push(...(await duel({ own, other, where, works, measures, generations: 4, rounds: 6 })))
  }
  log('surviving bytes')
  return [...rows, ...(await survivors())]
}

async function survivors(): Promise<Row[]> {
  const work = 'list 10 over HTTP, storage after 1 ms'
  const rows: Row[] = []
  for (const [name, module, target] of [
    ['plant-store', 'plant-store', { atMost: 150 }],
    ['floor', 'floor', {}],
  ] as const) {
    const runs: number[] = []
    for (let i = 0; i < RUNS; i++) runs.push(await survivingBytes(node(name, module, 'after:1')))
    const subject = `${name}, survivors of a request, worst of ${RUNS}`
    rows.push({ work, subject, value: Math.max(...runs), unit: 'bytes', ...target })
  }
  return rows
}

/** How much of a request reaches the old generation. */
async function survivingBytes({ start }: Contestant): Promise<number> {
  const load = startScript('load', 'load-process.ts')
  const { name, port, ask: askServer, stop: stopServer } = await start()
  const send = () => ask(load, { ...LIST, what: 'run', name, port, firstId: 0, count: REQUESTS })
  try {
    // Compiles the code.
    for (let i = 0; i < 2; i++) await send()
    await askServer('held')
    const before = await askServer<number>('oldGeneration')
    await send()
    return ((await askServer<number>('oldGeneration')) - before) / REQUESTS
  } finally {
    await Promise.all([stop(load), stopServer()])
  }
}
