import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Row, ratioRow, type Section, takeTurns, timeOf } from '../figures.ts'
import { node, type Server } from '../servers.ts'

const COUNTS = [10, 100_000, 1_000_000]
const WORK = 'list of 1000000 plants'

/** The list of a million plants: bounded memory, linear time, and a first byte without delay. */
export const stream: Section = {
  name: 'stream',
  about: 'the list of 1 000 000 plants: memory, first byte, time against the count',
  async run(log) {
    const servers: Server[] = []
    try {
      for (const count of COUNTS) {
        servers.push(await node('plant-store', 'plant-store', `memory:${count}`).start())
      }
      log('filled')
      const [ten, tenth, million] = servers as [Server, Server, Server]
      // First of all, while the server's memory has no room yet that an earlier list has left.
      const memory = await memoryRow('peak memory growth', million)
      // Warms up the servers, and checks that all plants arrive.
      for (const [i, server] of servers.entries()) {
        const { length } = (await (await open(server)).toArray()).join('').match(/"name"/g)!
        if (length !== COUNTS[i]) throw new Error(`${length} plants arrived`)
      }
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
      const firstRow = { subject: 'time to the first byte', unit: '× of 10 plants', atMost: 1.3 }
      const wholeRow = { subject: 'time per plant', unit: '× of 100000 plants', atMost: 1.3 }
      return [
        memory,
        ratioRow({ work: WORK, ...firstRow }, first.million, first.ten, 'ms'),
        ratioRow({ work: WORK, ...wholeRow }, whole.million, whole.tenth, 'ms per 100000'),
      ]
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  },
}

async function memoryRow(subject: string, server: Server): Promise<Row> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    const before = await server.ask<number>('resetPeak')
    await readAll(server)
    growths.push((await server.ask<number>('peak')) - before)
  }
  const value = Math.max(...growths)
  return { work: WORK, subject, value, unit: 'MiB', atMost: 64, note: 'the worst of three' }
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
  let response: IncomingMessage
  const elapsed = await timeOf(async () => {
    response = await open(server)
    await once(response, 'data')
  })
  response!.destroy()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}
