import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import * as byHand from './by-hand.ts'
import * as contract from './contract.ts'

/** The floor: the same work as the plant store's, by hand on node:http, with no library. */
export async function listen(storage: PlantStorage): Promise<number> {
  return (await listenOn((request, response) => respond(storage, request, response))).port
}

/** The floor, which answers the requests of one turn of the event loop together, as the plant store does. */
export async function batching(storage: PlantStorage): Promise<number> {
  const { port } = await listenOn(async (request, response) => {
    await endOfTurn()
    respond(storage, request, response)
  })
  return port
}

let turn: Promise<void> | undefined

/** Resolves when all connections that are readable in this turn of the event loop have been read. */
function endOfTurn(): Promise<void> {
  turn ??= setImmediate().finally(() => {
    turn = undefined
  })
  return turn
}

function respond(storage: PlantStorage, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request
  const [path, query = ''] = request.url!.split('?', 2)
  const header = (name: string) => headers[name] as string | undefined
  const answer = byHand.answer(storage, method!, path!, query, header)
  if (typeof answer !== 'function') {
    settle(response, answer)
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    settle(response, answer(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  })
}

function settle(response: ServerResponse, reply: ReturnType<typeof byHand.answer>): void {
  if (reply instanceof Promise) reply.then((reply) => send(response, reply))
  else send(response, reply as byHand.Reply)
}

function send(response: ServerResponse, { status, body, headers }: byHand.Reply): void {
  if (body === null) {
    response.writeHead(status, contract.EVERY_REPLY).end()
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    ...contract.EVERY_REPLY,
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
