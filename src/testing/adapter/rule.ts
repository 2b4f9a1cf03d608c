import { type ErrorName, errors } from '../../errors.ts'
import { type ContractViolation, show } from '../framework.ts'
import { ensure } from './ensure.ts'
import {
  type Answer,
  type HttpVersion,
  idsOfTests,
  parseJson,
  type TestRequest,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import type { TestConnection } from './http1.ts'
import { CLOSED, shorten, violation } from './show-exchange.ts'

/** One rule of the HTTP contract. */
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
  /** Why a proxy may break the rule without harm, if it may. */
  readonly proxyMayBreak?: string
  /** Throws a `ContractViolation`. */
  check(host: HostUnderTest): Promise<void>
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
}

/** A request, and the answer that it must get. The token's default is that of a fresh owner. */
export type Row = Omit<TestRequest, 'token'> & { readonly token?: string | null } & Expected

/** Express adds a charset, which means nothing. */
export const JSON_TYPE = /^application\/json(; charset=utf-8)?$/
const AT_ONCE = 25

/** Makes the check of a rule that is a table. Each row has a connection of its own. */
export function table(
  rowsFor: readonly Row[] | ((host: HostUnderTest) => readonly Row[]),
): AdapterRule['check'] {
  return async (host) => {
    const rows = typeof rowsFor === 'function' ? rowsFor(host) : rowsFor
    const left = [...rows]
    const failures: ContractViolation[] = []
    async function work(): Promise<void> {
      for (let row = left.shift(); row; row = left.shift()) {
        await checkRow(host, row).catch((error) => failures.push(error))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const [first, ...others] = failures
    if (!first) return
    first.message += `\n${failures.length} of ${rows.length} requests failed.`
    first.others = others
    throw first
  }
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

export function checkAnswer(
  { deployment }: HostUnderTest,
  request: TestRequest,
  answer: Answer,
  expected: Expected,
): void {
  const { status, headers, text } = answer
  const fail = (problem: string) => violation(problem, request, answer)
  const wanted = expected.status ?? (expected.error ? errors[expected.error].status : 200)

  if (deployment && mayBeOfOthers(answer, expected)) return
  if (status !== wanted) fail(`The status is ${status}, expected ${wanted}`)
  if (!answer.isComplete) fail('The response breaks off')
  if (expected.isHosts) return
  for (const [name, value] of Object.entries({ ...COMMON_HEADERS, ...expected.headers })) {
    const got = headers.get(name) ?? null
    if (value instanceof RegExp ? !value.test(got ?? '') : got !== value) {
      fail(`The header ${name} is ${show(got)}, expected ${show(value)}`)
    }
  }
  if (request.method === 'HEAD') return
  const shown = deployment ? withoutOthers(parseJson(text)) : parseJson(text)
  if (expected.json !== undefined) checkJson(shown, expected.json, fail)
  if (expected.error) checkError(answer, expected, fail)
}

const COMMON_HEADERS: NonNullable<Expected['headers']> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** Whether the response is one that whatever is around a deployment's store may give. */
function mayBeOfOthers(answer: Answer, { isHosts, mayBeRefused }: Expected): boolean {
  if (isOfStore(answer)) return false
  if (mayBeRefused && answer.status >= 400 && answer.status < 500) return true
  // Another path may have a page of its own.
  return isHosts === true && (answer.status < 300 || answer.status >= 400)
}

/** Whether the store has given the response, as far as its headers tell. */
export function isOfStore({ headers }: Answer): boolean {
  return Object.entries(COMMON_HEADERS).every(([name, value]) => headers.get(name) === value)
}

/** A list without the plants of others. */
function withoutOthers(json: unknown): unknown {
  return Array.isArray(json)
    ? json.filter((plant) => idsOfTests(`${Object(plant).name}`).length > 0)
    : json
}

function checkJson(json: unknown, expected: unknown, fail: (problem: string) => never): void {
  const wanted = JSON.stringify(expected)
  if (JSON.stringify(json) !== wanted) fail(`The body must be ${shorten(wanted)}`)
}

function checkError(
  { text, headers }: Answer,
  { error: name, message = /^.+\.$/ }: Expected,
  fail: (problem: string) => never,
): void {
  const body = Object(parseJson(text))
  const { error } = errors[name!]
  if (Object.keys(body).join() !== 'error,message' || body.error !== error) {
    fail(`The body must be the Error ${error}, ${name}`)
  }
  const type = headers.get('content-type')
  if (!JSON_TYPE.test(type ?? '')) fail(`The header content-type is ${show(type)}`)
  if (!message.test(body.message)) fail(`The message must match ${message}`)
}
