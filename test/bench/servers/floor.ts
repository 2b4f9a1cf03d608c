import type { IncomingMessage, ServerResponse } from 'node:http'
import { type MaybePromise, tryThen } from '../../../src/maybe-promise.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import { assertJson, create, failure, list, type Reply, remove } from './by-hand.ts'
import * as contract from './contract.ts'

/** The floor: the same work as the plant store's, by hand on node:http, with no library. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { port } = await listenOn((request, response) => {
    settle(response, () => answer(storage, request, response))
  })
  return port
}

/** Calls `reply`, and sends what it returns or throws. Undefined is sent later. */
function settle(response: ServerResponse, reply: () => MaybePromise<Reply | undefined>): void {
  tryThen(
    reply,
    (made) => made && send(response, made),
    (error) => send(response, failure(error)),
  )
}

function answer(
  storage: PlantStorage,
  request: IncomingMessage,
  response: ServerResponse,
): MaybePromise<Reply | undefined> {
  const { method, headers } = request
  const url = request.url!
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  if (!path.startsWith('/plants')) throw new contract.Failure('route_not_found')
  const owner = contract.authenticate(headers.authorization)
  if (path.startsWith('/plants/')) {
    if (method === 'DELETE') return remove(storage, owner, path.slice('/plants/'.length))
  } else if (method === 'GET') {
    return list(storage, owner, new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)))
  } else if (method === 'POST') {
    assertJson(headers['content-type'], headers['content-encoding'])
    return readBody(request, (bytes) => settle(response, () => create(storage, owner, bytes)))
  }
  throw new contract.Failure('method_not_allowed')
}

/** Reads the body, without a promise; null if it is too large. */
function readBody(request: IncomingMessage, use: (bytes: Buffer | null) => void): undefined {
  if (Number(request.headers['content-length']) > contract.MAX_BODY_BYTES)
    return use(null) as undefined
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

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (body === null) {
    response.writeHead(status, contract.EVERY_REPLY)
    response.end()
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
