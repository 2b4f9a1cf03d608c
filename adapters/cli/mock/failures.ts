import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStream } from '../../../src/adapter.ts'
import { Failure } from '../../../src/errors.ts'
import { failureReply } from '../../../src/http/reply.ts'
import {
  createPlantStore,
  type ErrorName,
  errors,
  type IncomingRequest,
  type Reply,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

/** A request that fails. */
interface FailingCall {
  request: IncomingRequest
  /** The store's own reply, if the request was carried out. */
  reply: Reply | undefined
  /** Breaks the connection. */
  cut(): void
  /** Aborted when the client has gone or the mock stops. */
  signal: AbortSignal
}

type Fail = (call: FailingCall) => Promise<Reply>

/** What makes a request fail, by the preference that asks for it. Those of `plant-store` are what a network does. */
export const FAILURES: Readonly<Record<string, Fail>> = {
  ...catalogueFailures(),
  'code=502': async () => proxyPage('502'),
  'code=504': async () => proxyPage('504'),
  'example=html': async () => proxyPage('200'),
  'plant-store=applied-503': (call) => fail('timeout', call),
  'plant-store=applied-504': async () => proxyPage('504'),
  'plant-store=applied-cut': breakConnection,
  'plant-store=applied-hang': hang,
  'plant-store=cut': breakConnection,
  'plant-store=hang': hang,
  'plant-store=rate-limited': (call) => fail('rate_limited', call),
  'plant-store=truncated': async ({ reply }) => ({ ...reply!, body: halfOf(reply!) }),
}

function catalogueFailures(): Record<string, Fail> {
  const failures: Record<string, Fail> = {}
  for (const name of Object.keys(errors) as ErrorName[]) {
    failures[`example=${name}`] = (call) => fail(name, call)
    // Of several with one status, the first.
    failures[`code=${errors[name].status}`] ??= failures[`example=${name}`]!
  }
  const invalid: Record<string, ErrorName> = { POST: 'malformed_json', DELETE: 'invalid_id' }
  failures['code=400'] = (call) => fail(invalid[call.request.method] ?? 'invalid_limit', call)
  // Only an id can be unknown.
  const missing = ({ method }: IncomingRequest) =>
    method === 'DELETE' ? 'plant_not_found' : 'route_not_found'
  failures['code=404'] = (call) => fail(missing(call.request), call)
  return failures
}

/** A store that refuses every token. */
const refusing = createPlantStore(memoryStorage(), (token) =>
  token === 'unscoped' ? { owner: 'mock', scopes: [] } : null,
)

/** The requests whose refusals have headers that tell of the request. */
const REFUSED: Partial<Record<ErrorName, Partial<IncomingRequest>>> = {
  missing_token: { headers: { get: () => null } },
  invalid_token: { headers: { get: () => 'Bearer unknown' } },
  insufficient_scope: { headers: { get: () => 'Bearer unscoped' } },
  method_not_allowed: { method: 'PATCH' },
}

/** Replies with an error of the catalogue, as the store does. */
async function fail(name: ErrorName, { request }: FailingCall): Promise<Reply> {
  if (REFUSED[name]) return (await refusing.handle({ ...request, ...REFUSED[name] }))!
  const headers: Record<string, string> = {}
  if (name === 'unsupported_media_type') headers['accept-post'] = 'application/json'
  if (name === 'rate_limited') headers['retry-after'] = '1'
  return failureReply(new Failure(name, { headers }))
}

/** A page as nginx sends it, which knows nothing of the API. */
function proxyPage(status: string): Reply {
  const title = `${status} ${STATUS_CODES[status]}`
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`
  return { status: Number(status), headers: { 'content-type': 'text/html' }, body }
}

/** Leaves the client without a response for as long as it waits. */
async function hang(call: FailingCall): Promise<Reply> {
  if (!call.signal.aborted) await once(call.signal, 'abort')
  return breakConnection(call)
}

/** Returns nginx's status for a client that has gone. Nothing of it is sent. */
async function breakConnection({ cut }: FailingCall): Promise<Reply> {
  cut()
  return { status: 499, headers: {}, body: null }
}

/** The first half of a body, after which the connection breaks. */
async function* halfOf({ body }: Reply): AsyncGenerator<string> {
  let text = ''
  if (isStream(body)) for await (const part of body) text += part
  else text = body ?? ''
  yield text.slice(0, Math.ceil(text.length / 2))
  // The host may still hold the half that it was given.
  await sleep(50)
  throw new Error('Truncated, as the mock was asked to')
}
