import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure, Section } from '../figures.ts'
import { type Server, startServer } from '../server.ts'
import { median, spread } from '../statistics.ts'

const MILLION = 1_000_000

/** The list of a million plants: bounded memory, linear time, and a first byte without delay. */
export const stream: Section = {
  name: 'stream',
  about: 'the list of 1 000 000 plants: memory, first byte, time against the count',
  async run(log) {
    const servers: Server[] = []
    try {
      for (const count of [10, MILLION / 10, MILLION]) {
        servers.push(await startServer(`${count}`, 'plant-store', `memory:${count}`))
      }
      log('filled')
      const [ten, tenth, million] = servers as [Server, Server, Server]
      // First of all, while the server's memory has no room yet that an earlier list has left.
      const memoryFigures = [
        await memoryFigure('peak memory growth', million, readAll),
        await memoryFigure('peak memory growth, client stalled for 2 s', million, stall),
      ]
      // Compiles the code, and checks that all arrive.
      for (const server of servers) {
        const names = (await (await open(server)).toArray()).join('').match(/"name"/g)!
        if (`${names.length}` !== server.name) throw new Error(`${names.length} plants arrived`)
      }
      return [
        ...memoryFigures,
        await firstByteFigure(ten, million),
        await linearFigure(tenth, million),
      ]
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  },
}

const WORK = 'list of 1000000 plants'

async function memoryFigure(
  subject: string,
  server: Server,
  read: (server: Server) => Promise<unknown>,
): Promise<Figure> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    const before = await server.ask<number>('resetPeak')
    await read(server)
    growths.push((await server.ask<number>('peak')) - before)
  }
  return {
    section: 'stream',
    work: WORK,
    subject,
    value: Math.max(...growths),
    unit: 'MiB',
    atMost: 64,
    note: 'the worst of three',
  }
}

async function firstByteFigure(ten: Server, million: Server): Promise<Figure> {
  const times = { ten: [] as number[], million: [] as number[] }
  for (let round = 0; round < 60; round++) {
    times.ten.push(await firstByte(ten))
    times.million.push(await firstByte(million))
  }
  const { median: value, low, high } = spread(times.million.map((time, i) => time / times.ten[i]!))
  return {
    section: 'stream',
    work: WORK,
    subject: 'time to the first byte',
    value,
    low,
    high,
    unit: '× of 10 plants',
    // Its first part is a page of 100 plants.
    atMost: 2,
    note: `${median(times.million).toFixed(2)} and ${median(times.ten).toFixed(2)} ms`,
  }
}

async function linearFigure(tenth: Server, million: Server): Promise<Figure> {
  const times = { tenth: [] as number[], million: [] as number[] }
  for (let round = 0; round < 5; round++) {
    times.tenth.push(await time(() => readAll(tenth)))
    times.million.push(await time(() => readAll(million)))
  }
  const {
    median: value,
    low,
    high,
  } = spread(times.million.map((whole, i) => whole / 10 / times.tenth[i]!))
  return {
    section: 'stream',
    work: WORK,
    subject: 'time a plant',
    value,
    low,
    high,
    unit: '× of 100000 plants',
    atMost: 1.3,
    note: `${Math.round(median(times.million))} ms in all`,
  }
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
  const begin = performance.now()
  const response = await open(server)
  await new Promise((resolve) => response.once('data', resolve))
  const elapsed = performance.now() - begin
  response.destroy()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}

async function time(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
