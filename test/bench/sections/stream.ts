import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Row, ratioRow, takeTurns, timeOf } from '../figures.ts'
import { node, type Server } from '../servers.ts'

const WORK = 'list of 1000000 plants'

/** The list of a million plants: bounded memory, linear time, and a first byte without delay. */
export async function run(): Promise<Row[]> {
  const start = (count: number) => node('plant-store', 'plant-store', `memory:${count}`).start()
  const [ten, tenth, million] = [await start(10), await start(100_000), await start(1_000_000)]
  try {
    // First of all, while the server's memory has no room yet that an earlier list has left.
    const memory = await memoryRow(million)
    await assertAllArrive(ten, 10)
    await assertAllArrive(tenth, 100_000)
    await assertAllArrive(million, 1_000_000)
    const first = await takeTurns(
      { rounds: 60 },
      { million: () => firstByte(million), ten: () => firstByte(ten) },
    )
    const whole = await takeTurns(
      { rounds: 5 },
      {
        million: async () => (await timeOf(() => readAll(million))) / 10,
        tenth: () => timeOf(() => readAll(tenth)),
      },
    )
    const row = { work: WORK, atMost: 1.3 }
    const firstRow = { ...row, subject: 'time to the first byte', unit: '× of 10 plants' }
    const wholeRow = { ...row, subject: 'time per plant', unit: '× of 100000 plants' }
    return [
      memory,
      ratioRow(firstRow, [first.million, first.ten], 'ms'),
      ratioRow(wholeRow, [whole.million, whole.tenth], 'ms per 100000'),
    ]
  } finally {
    await Promise.all([ten, tenth, million].map((server) => server.stop()))
  }
}

async function memoryRow(server: Server): Promise<Row> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    const before = await server.ask<number>('resetPeak')
    await readAll(server)
    growths.push((await server.ask<number>('peak')) - before)
  }
  const row = { work: WORK, subject: 'peak memory growth', unit: 'MiB', atMost: 64 }
  return { ...row, value: Math.max(...growths), note: 'the worst of three' }
}

/** Warms up the server too. */
async function assertAllArrive(server: Server, count: number): Promise<void> {
  const chunks = await (await open(server)).toArray()
  const { length } = chunks.join('').match(/"name"/g)!
  if (length !== count) throw new Error(`${length} plants arrived`)
}

async function open({ port }: Server): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer token-of-a-reader' }
  const request = get({ port, host: '127.0.0.1', path: '/plants', headers, agent: false })
  return (await once(request, 'response'))[0]
}

async function readAll(server: Server): Promise<void> {
  for await (const _ of await open(server));
}

async function firstByte(server: Server): Promise<number> {
  const begin = performance.now()
  const response = await open(server)
  await once(response, 'data')
  const elapsed = performance.now() - begin
  response.destroy()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}
