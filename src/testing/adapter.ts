import { assertOptions } from '../lib/arguments.ts'
import type { MaybePromise } from '../lib/promises.ts'
import type { PlantStore } from '../plant-store.ts'
import type { HttpVersion } from './adapter/exchange.ts'
import { hostAt } from './adapter/host.ts'
import { type AdapterRule, checkRule } from './adapter/rule.ts'
import { rules } from './adapter/rules.ts'
import { createAdapterTestStore } from './adapter/test-store.ts'
import { assertTestFunctions, ContractViolation, show, type TestFramework } from './framework.ts'

/** A running host of the test store. */
export interface TestHost {
  /** Where the paths of the store begin, with the mount path: `http://127.0.0.1:3000/api`. */
  readonly url: string
  /** Stops the host. It is called after each test. Leave it out if all tests share one host. */
  stop?(): unknown
}

/** The options of `testPlantAdapter`. */
export interface TestPlantAdapterOptions {
  /**
   * The versions of HTTP that the host speaks at its URL. `2` is tested without an upgrade: with ALPN at an https: URL,
   * with prior knowledge at an http: URL. Default: `['1.1', '1.0']`.
   */
  readonly versions?: readonly HttpVersion[] | undefined
  /** The `basePath` of the store, for a host that leaves the mount path on the URL. Default: none. */
  readonly basePath?: string | undefined
  /**
   * The rules that the host cannot keep, and why: the name of a rule, or of a rule and a version, for example
   * `'truncated-list over HTTP/1.0'`, and a reason for the output. The test of a known limit fails when the host
   * keeps the rule, so the list stays true. Default: none.
   */
  readonly limits?: Readonly<Record<string, KnownLimit>> | undefined
}

/**
 * Why a host breaks a rule: always, or now and then. `seen` is a text that the message of each failure must have, for example
 * `'status 308'`: any other failure still fails the test. Default: any failure of the rule is known, as with a reason alone.
 */
export type KnownLimit =
  | string
  | { readonly always: string; readonly seen: string }
  | { readonly sometimes: string; readonly seen?: string }

const VERSIONS = ['1.0', '1.1', '2']
const DEFAULT_OVER: readonly HttpVersion[] = ['1.1', '2']
// Far longer than any answer takes on a busy machine.
const PATIENCE_MS = 10_000
// A known limit is often that no answer comes.
const PATIENCE_WITH_A_LIMIT_MS = 2000
const ADVICE_ON_MISS =
  ' If other rules fail so too, the store may not get the paths it serves: check that start returns the url with the mount path, that the host passes on every path below it, with every method, and that the adapter takes the mount path off the URL. Pass { basePath } if it leaves it there.'
// A rule sends up to fifty requests, some of which the store answers after half a second.
const TEST_TIMEOUT_MS = 60_000

/**
 * Defines one test for each rule of the HTTP contract that an adapter or a host may break: statuses, headers and
 * bodies as they must come over the wire, bodies beyond the limit, lists that are long, fail or have a slow reader,
 * clients that hang up, pipelines, mount paths. A failure says what was sent, what came, which rule is
 * violated, and what to do.
 *
 * @param framework the `describe` and `it` of your test framework
 * @param start starts your host with the store, on a free port. It is called for each test. A host in another
 *   process creates the store itself, with `createAdapterTestStore`
 * @param options see `TestPlantAdapterOptions`
 * @throws TypeError for an unknown option, version or rule
 *
 * @example Node's own test runner: node --test my-adapter.test.mts
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import type { AddressInfo } from 'node:net'
 * import { describe, it } from 'node:test'
 *
 * testPlantAdapter({ describe, it }, async (store) => {
 *   const server = createServer(toMyHandler(store)).listen(0, 'localhost')
 *   await once(server, 'listening')
 *   const { port } = server.address() as AddressInfo
 *   return { url: `http://localhost:${port}`, stop: () => server.close() }
 * })
 * ```
 */
export function testPlantAdapter(
  framework: TestFramework,
  start: (store: PlantStore) => MaybePromise<TestHost>,
  options: TestPlantAdapterOptions = {},
): void {
  const { describe, it } = Object(framework) as TestFramework
  assertTestFunctions('testPlantAdapter({ describe, it }, start)', { describe, it, start })
  const { versions, limits, basePath } = resolveAdapterTest(options)

  describe('Plant store adapter', () => {
    for (const version of versions) {
      describe(`HTTP/${version}`, () => {
        for (const [name, rule] of Object.entries(rules)) {
          if ((rule.over ?? DEFAULT_OVER).includes(version)) defineTest(name, rule, version)
        }
      })
    }
  })

  function defineTest(name: string, rule: AdapterRule, version: HttpVersion): void {
    const limit = limits[`${name} over HTTP/${version}`] ?? limits[name]
    const known = limit === undefined ? undefined : resolveLimit(limit)
    const title = known ? `${name} (known limit: ${known.reason})` : name
    const run = async () => {
      const isKept = await runRule(name, rule, version, known?.seen)
      if (!known || known.isOccasional || !isKept) return
      throw new ContractViolation(`The host keeps the rule ${name}: remove it from limits`)
    }
    it(`${title}: ${rule.says}`, run, TEST_TIMEOUT_MS)
  }

  /**
   * Returns whether the host keeps the rule, and throws if it does not.
   *
   * @param seen the text that the message of a known failure has. Default: no failure is known
   */
  async function runRule(name: string, rule: AdapterRule, version: HttpVersion, seen?: string) {
    const started = await start(createAdapterTestStore({ basePath }))
    if (typeof Object(started).url !== 'string') {
      throw new TypeError(`start must return { url, stop }; got ${show(started)}`)
    }
    const patienceMs = seen === undefined ? PATIENCE_MS : PATIENCE_WITH_A_LIMIT_MS
    const host = hostAt(new URL(started.url), version, patienceMs)
    try {
      await checkRule(host, rule)
      return true
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error
      const failures = [error, ...error.others]
      const isKnown = ({ message }: Error) => seen !== undefined && message.includes(seen)
      const unknown = failures.find((failure) => !isKnown(failure))
      if (!unknown) return false
      const { message } = unknown
      const onMiss = message.startsWith('The status is 404') ? ADVICE_ON_MISS : ''
      unknown.message += `\nViolated rule: ${name}: ${rule.says}.\nWhat to do: ${rule.advice}${onMiss}`
      throw unknown
    } finally {
      host.close()
      await started.stop?.()
    }
  }
}

function resolveLimit(limit: KnownLimit) {
  if (typeof limit === 'string') return { reason: limit, isOccasional: false, seen: '' }
  if ('always' in limit) return { reason: limit.always, isOccasional: false, seen: limit.seen }
  return { reason: `sometimes, ${limit.sometimes}`, isOccasional: true, seen: limit.seen ?? '' }
}

function resolveAdapterTest(options: TestPlantAdapterOptions) {
  assertOptions('testPlantAdapter', options, ['versions', 'basePath', 'limits'])
  const { versions = ['1.1', '1.0'], limits = {}, basePath } = options
  for (const version of versions) assertKnown('version of HTTP', version, VERSIONS)
  for (const limit of Object.keys(limits)) {
    assertKnown('rule', limit.replace(/ over HTTP\/(1\.0|1\.1|2)$/, ''), Object.keys(rules))
  }
  return { versions, limits, basePath }
}

function assertKnown(what: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return
  throw new TypeError(
    `testPlantAdapter knows no ${what} ${show(value)}; it knows ${known.join(', ')}`,
  )
}
