import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { median, type Row, ratio, type Section } from '../figures.ts'
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
        servers.push(await node('plant-store', 'plant-store', `memory:${count}`).start(0))
      }
      log('filled')
      const [ten, tenth, million] = servers as [Server, Server, Server]
      // First of all, while the server's memory has no room yet that an earlier list has left.
      const memoryRows = [
        await memoryRow('peak memory growth', million, readAll),
        await memoryRow('peak memory growth, client stalled for 2 s', million, stall),
      ]
      // Warms up the servers, and checks that all plants arrive.
      for (const [i, server] of servers.entries()) {
        const { length } = (await (await open(server)).toArray()).join('').match(/"name"/g)!
        if (length !== COUNTS[i]) throw new Error(`${length} plants arrived`)
      }
      const [first, firstOfTen] = await takeTurns(60, [million, ten], firstByte)
      const [whole, wholeOfTenth] = await takeTurns(5, [million, tenth], (server) =>
        timeOf(() => readAll(server)),
      )
      return [
        ...memoryRows,
        {
          work: WORK,
          subject: 'time to the first byte',
          ...ratio(first!, firstOfTen!),
          unit: '× of 10 plants',
          // Its first part is a page of 100 plants.
          atMost: 2,
          note: `${median(first!).toFixed(2)} and ${median(firstOfTen!).toFixed(2)} ms`,
        },
        {
          work: WORK,
          subject: 'time a plant',
          ...ratio(
            whole!.map((time) => time / 10),
            wholeOfTenth!,
          ),
          unit: '× of 100000 plants',
          atMost: 1.3,
          note: `${Math.round(median(whole!))} ms in all`,
        },
      ]
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  },
}

async function memoryRow(
  subject: string,
  server: Server,
  read: (server: Server) => Promise<unknown>,
): Promise<Row> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    const before = await server.ask<number>('resetPeak')
    await read(server)
    growths.push((await server.ask<number>('peak')) - before)
  }
  const value = Math.max(...growths)
  return { work: WORK, subject, value, unit: 'MiB', atMost: 64, note: 'the worst of three' }
}

async function takeTurns(
  rounds: number,
  servers: Server[],
  measure: (server: Server) => Promise<number>,
): Promise<number[][]> {
  const times = servers.map(() => [] as number[])
  for (let round = 0; round < rounds; round++) {
    for (const [i, server] of servers.entries()) times[i]!.push(await measure(server))
  }
  return times
}

function open({ port }: Server): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer token-of-a-reader' }
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/plants', headers, agent: false }, resolve).on(
      'error',
      reject,
    )
  })
}

async function readAll(server: Server): Promise<void> {
  const response = await open(server)
  for await (const _ of response);
}

async function stall(server: Server): Promise<void> {
  const response = await open(server)
  await delay(2000)
  response.destroy()
}

async function firstByte(server: Server): Promise<number> {
  let response: IncomingMessage
  const elapsed = await timeOf(async () => {
    response = await open(server)
    await new Promise((resolve) => response.once('data', resolve))
  })
  response!.destroy()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
