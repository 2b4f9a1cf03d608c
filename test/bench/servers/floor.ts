import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MaybePromise } from '../../../src/maybe-promise.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import { assertJson, create, failure, list, type Reply, remove } from './by-hand.ts'
import * as contract from './contract.ts'

/** The floor: the same work as the plant store's, by hand on node:http, with no library. */
export async function listen(storage: PlantStorage): Promise<number> {
  return (await listenOn((request, response) => answer(storage, request, response))).port
}

function answer(storage: PlantStorage, request: IncomingMessage, response: ServerResponse): void {
  try {
    settle(response, route(storage, request, response))
  } catch (error) {
    send(response, failure(error))
  }
}

/** Sends a reply, at once if it is there. Undefined is sent later. */
function settle(response: ServerResponse, reply: MaybePromise<Reply | undefined>): void {
  if (reply instanceof Promise) {
    reply.then(
      (reply) => settle(response, reply),
      (error) => send(response, failure(error)),
    )
  } else if (reply) {
    send(response, reply)
  }
}

function route(
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
    readBody(request, (bytes) => {
      try {
        settle(response, create(storage, owner, bytes))
      } catch (error) {
        send(response, failure(error))
      }
    })
    return undefined
  }
  throw new contract.Failure('method_not_allowed')
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
