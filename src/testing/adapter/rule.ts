import { type ErrorName, errors } from '../../errors.ts'
import { type ContractViolation, show } from '../framework.ts'
import { atOnce } from '../waiting.ts'
import {
  type Answer,
  CLOSED,
  ensure,
  type HttpVersion,
  idsOfTests,
  parseJson,
  shorten,
  type TestRequest,
  violation,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import type { TestConnection } from './http1.ts'

/** One rule of the HTTP contract: requests with their answers, and what else a test must do. */
export interface AdapterRule {
  /** The rule, as a sentence without its full stop. */
  readonly says: string
  /** The advice to the author of an adapter. */
  readonly advice: string
  /** The versions of HTTP that it is tested over, as far as the host speaks them. Default: 1.1 and 2. */
  readonly over?: readonly HttpVersion[]
  /** Why a deployment can't be checked for it from outside, if it can't: the rule needs this. */
  readonly needs?: string
  /** How many owners it needs tokens of. Default: 1. */
  readonly owners?: 1 | 2
  /** Requests that are sent in any order, each on another connection. */
  readonly rows?: readonly Row[] | ((host: HostUnderTest) => readonly Row[])
  /** Requests that are sent one after the other, behind the rows. */
  readonly steps?: (host: HostUnderTest) => readonly Row[]
  /** Tests the rest. Throws a `ContractViolation`. */
  check?(host: HostUnderTest): Promise<void>
}

/** The rules of one part of the contract, by name. */
export type AdapterRules = Record<string, AdapterRule>

/** The expected response. */
export interface Expected {
  /** Default: that of the error, or 200. */
  readonly status?: number | undefined
  readonly error?: ErrorName | undefined
  /** A pattern that the message of the error must match. Default: a sentence. */
  readonly message?: RegExp | undefined
  readonly json?: unknown
  /** The expected headers; null for one that must be absent. */
  readonly headers?: Record<string, string | RegExp | null> | undefined
  /** Whether another handler of the host may give the answer. Default: false. */
  readonly isHosts?: boolean | undefined
  /** Whether what is in front of a deployment may refuse the request itself. Default: false. */
  readonly mayBeRefused?: boolean | undefined
  /** Whether a deployment may answer with 200, since its limits are its own. Default: false. */
  readonly mayPass?: boolean | undefined
}

/** A request, and the answer that it must get. The token's default is that of a fresh owner. */
export type Row = Omit<TestRequest, 'token'> & { readonly token?: string | null } & Expected

/** Express adds a charset, which means nothing. */
export const JSON_TYPE = /^application\/json(; charset=utf-8)?$/
const AT_ONCE = 25

export async function checkRule(host: HostUnderTest, { rows = [], steps, check }: AdapterRule) {
  const all = typeof rows === 'function' ? rows(host) : rows
  const failures: ContractViolation[] = []
  const sendRow = (row: Row) => checkRow(host, row).catch((error) => failures.push(error))
  await atOnce(all, sendRow, AT_ONCE)
  const [first, ...others] = failures
  if (first) {
    first.message += `\n${failures.length} of ${all.length} requests failed.`
    first.others = others
    throw first
  }
  for (const step of steps?.(host) ?? []) await checkRow(host, step)
  await check?.(host)
}

export async function checkRow(host: HostUnderTest, row: Row): Promise<Answer> {
  const request = host.prepare(row)
  const answer = await host.send(request)
  checkAnswer(host, request, answer, row)
  return answer
}

/** Waits for the response to a request that was sent on this connection, and checks it. */
export async function receive(
  host: HostUnderTest,
  connection: TestConnection,
  request: TestRequest & Expected,
  problem = CLOSED,
): Promise<Answer> {
  const answer = await connection.receive(request)
  ensure(answer !== undefined, problem, request)
  checkAnswer(host, request, answer, request)
  return answer
}

const COMMON_HEADERS: NonNullable<Expected['headers']> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export function checkAnswer(
  { deployment }: Pick<HostUnderTest, 'deployment'>,
  request: TestRequest,
  answer: Answer,
  expected: Expected,
): void {
  const { status, headers, text } = answer
  const { error, json, isHosts, mayPass } = expected
  const fail = (problem: string) => violation(problem, request, answer)
  const wanted = expected.status ?? (error ? errors[error].status : 200)

  if (deployment && mayPass && status === 200) return
  if (deployment && mayBeOfOthers(answer, expected)) return
  if (status !== wanted) fail(`The status is ${status}, expected ${wanted}`)
  if (!answer.isComplete) fail('The response breaks off')
  if (isHosts) return
  for (const [name, value] of Object.entries({ ...COMMON_HEADERS, ...expected.headers })) {
    const got = headers.get(name) ?? null
    if (value instanceof RegExp ? !value.test(got ?? '') : got !== value) {
      fail(`The header ${name} is ${show(got)}, expected ${show(value)}`)
    }
  }
  if (request.method === 'HEAD') return
  const body = parseJson(text)
  if (json !== undefined) {
    const shown = deployment && Array.isArray(body) ? body.filter(isOfTests) : body
    const isRight = JSON.stringify(shown) === JSON.stringify(json)
    if (!isRight) fail(`The body must be ${shorten(JSON.stringify(json))}`)
  }
  if (!error) return
  const { message = /^.+\.$/ } = expected
  const { error: number } = errors[error]
  if (Object.keys(Object(body)).join() !== 'error,message' || Object(body).error !== number) {
    fail(`The body must be the Error ${number}, ${error}`)
  }
  const type = headers.get('content-type')
  if (!JSON_TYPE.test(type ?? '')) fail(`The header content-type is ${show(type)}`)
  if (!message.test(Object(body).message)) fail(`The message must match ${message}`)
}

function isOfTests(plant: unknown): boolean {
  return idsOfTests(`${Object(plant).name}`).length > 0
}

/** Whether the response is one that a proxy or another handler of a deployment may give. */
function mayBeOfOthers(answer: Answer, { isHosts, mayBeRefused }: Expected): boolean {
  if (isOfStore(answer)) return false
  if (mayBeRefused && answer.status >= 400 && answer.status < 500) return true
  // Another path may have a page.
  return isHosts === true && (answer.status < 300 || answer.status >= 400)
}

/** Whether the store has given the response, as far as its headers tell. */
export function isOfStore({ headers }: Answer): boolean {
  return Object.entries(COMMON_HEADERS).every(([name, value]) => headers.get(name) === value)
}
