import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MaybePromise } from '../../../src/lib/maybe-promise.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import * as byHand from './by-hand.ts'
import * as contract from './contract.ts'
import { turn } from './turn.ts'

/** The floor: the same work as the plant store's, by hand on node:http, with no library. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { port } = await listenOn((request, response) =>
    settle(response, () => route(storage, request, response)),
  )
  return port
}

/** The floor, which answers the requests of one turn of the event loop together, as the plant store does. */
export async function batching(storage: PlantStorage): Promise<number> {
  const { port } = await listenOn(async (request, response) => {
    await turn()
    settle(response, () => route(storage, request, response))
  })
  return port
}

/** A bare server that reads what comes, drops it and never answers: the memory of the connections themselves. */
export async function dropping(): Promise<number> {
  const { port } = await listenOn((request) => void request.resume())
  return port
}

/** Sends a reply, at once if it is there. Undefined is sent later. */
function settle(
  response: ServerResponse,
  work: () => MaybePromise<byHand.Reply | undefined>,
): void {
  const sendFailure = (error: unknown) => send(response, byHand.failure(error))
  try {
    const reply = work()
    if (reply instanceof Promise) reply.then((reply) => send(response, reply!), sendFailure)
    else if (reply) send(response, reply)
  } catch (error) {
    sendFailure(error)
  }
}

function route(
  storage: PlantStorage,
  request: IncomingMessage,
  response: ServerResponse,
): MaybePromise<byHand.Reply | undefined> {
  const { method, headers } = request
  const url = request.url!
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const isPlant = path.startsWith('/plants/')
  if (!isPlant && path !== '/plants') throw new byHand.Failure(404)
  const owner = byHand.authenticate(headers.authorization)
  if (isPlant) {
    if (method === 'DELETE') return byHand.remove(storage, owner, path.slice('/plants/'.length))
  } else if (method === 'GET') {
    return byHand.list(storage, owner, new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)))
  } else if (method === 'POST') {
    byHand.assertJson(headers['content-type'], headers['content-encoding'])
    readBody(request, (bytes) => settle(response, () => byHand.create(storage, owner, bytes)))
    return undefined
  }
  throw new byHand.Failure(405)
}

/** Reads the body, without a promise; null if it is too large. */
function readBody(request: IncomingMessage, use: (bytes: Buffer | null) => void): void {
  if (Number(request.headers['content-length']) > contract.MAX_BODY_BYTES) {
    use(null)
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > contract.MAX_BODY_BYTES) {
      request.pause().removeAllListeners('data').removeAllListeners('end')
      return use(null)
    }
    chunks.push(chunk)
  })
  request.on('end', () => use(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)))
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
