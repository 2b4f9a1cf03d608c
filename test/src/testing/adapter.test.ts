import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { PlantStore } from '../../../src/index.ts'
import {
  type TestHost,
  type TestPlantAdapterOptions,
  testPlantAdapter,
} from '../../../src/testing.ts'
import { listen } from '../../shared/listen.ts'
import { testsOf } from '../../shared/tests-of.ts'
import { adapterOf, type BrokenAdapter } from './adapter-of.ts'
import { brokenAdapters } from './broken-adapters.ts'

type Start = (store: PlantStore) => TestHost | Promise<TestHost>

/** Starts an adapter that is right except for the mistake. */
function startWith(mistake: BrokenAdapter = {}): Start {
  const { serve = createServer, isMounted } = mistake
  return async (store) => {
    const { url, close } = await listen(serve(adapterOf(mistake)(store)))
    return { url: isMounted ? `${url}/api` : url, stop: close }
  }
}

describe('An adapter that is right', () => {
  testPlantAdapter({ describe, it }, startWith())
})

/** Returns the tests by the name of their rule, and that of the version if it isn't 1.1. */
function rulesOf(start: Start, options?: TestPlantAdapterOptions) {
  const tests = testsOf((framework) => testPlantAdapter(framework, start, options))
  return new Map(
    tests.map((test) => {
      const rule = /^[\w-]+/.exec(test.title)![0]
      return [test.group === 'HTTP/1.1' ? rule : `${rule} over ${test.group}`, test] as const
    }),
  )
}

async function failureOf(rule: string, start: Start, options?: TestPlantAdapterOptions) {
  const { run } = rulesOf(start, options).get(rule)!
  return run().then(undefined, (error: Error) => error)
}

/** What a failure shows, for some of them. */
const shown: Record<string, RegExp> = {
  'body-limit: has a limit of its own':
    /\n {2}\{"id":-9\d{18},"name":"a+ … a{48}"\} \(length 65536\)\n/,
  'malformed-json: replaces what is not UTF-8': /\n {2}\d\d bytes\nCame: status 200/,
  'absolute-target: passes an absolute target behind the host’s origin':
    /\nSent: GET http:\/\/…\/plants/,
  'failures: drops Retry-After': /^The header retry-after is null, expected \/\^\\d\+\$\/\n/,
  'incomplete-body over HTTP/2: creates from an incomplete body': /^The body must be \[\]\n/,
  'long-list: gives the size of a chunk in characters': /\n {2}\(the response breaks off here\)\n/,
}

// At once, since most of them wait for what a broken adapter does not send.
describe.concurrent('testPlantAdapter', { timeout: 300_000 }, () => {
  it.each(Object.entries(brokenAdapters))('catches by %s', async (name, mistake) => {
    const [rule = ''] = name.split(': ')
    // A known limit, which no failure is, makes the test wait for an answer for two seconds only. On a busy machine, one
    // that comes may take longer.
    const limits = name in shown ? {} : { [rule.split(' ')[0]!]: { always: 'None', seen: '\0' } }
    const failure = await failureOf(rule, startWith(mistake), {
      limits,
      versions: ['1.0', '1.1', '2'],
    })
    expect(failure?.name).toBe('ContractViolation')
    expect(failure?.message).toMatch(
      /^\w[^\n]*\n(.*\n)?Violated rule: [\w-]+: [^\n]+\.\nWhat to do: [^\n]+\.$/s,
    )
    expect(failure?.message).toMatch(shown[name] ?? '')
  })

  it('has a broken adapter for each rule', () => {
    const caught = Object.keys(brokenAdapters).map((name) => /^[\w-]+/.exec(name)![0])
    const rules = [...rulesOf(startWith()).keys()].map((rule) => rule.split(' ')[0])
    expect(new Set(caught)).toEqual(new Set(rules))
  })

  it('says what was sent, what came, which rule is violated and what to do', async ({ expect }) => {
    const failure = await failureOf(
      'scope',
      startWith(brokenAdapters['scope: has a list of scopes of its own']),
    )
    expect(
      failure?.message.replace(/date: .*/, 'date: …').replace(/-9\d{18}/g, '-9…'),
    ).toMatchInlineSnapshot(`
      "The header x-content-type-options is null, expected "nosniff"
      Sent: POST /plants
        authorization: Bearer reader-a
        content-type: application/json
        content-length: 63
        
        {"id":-9…,"name":"plant -9…"}
      Came: status 403
        content-length: 67
        date: …
        connection: close
        
        {"error":40301,"message":"The token lacks the scope plants:write."}
        (not as the store sent it: the host has answered itself, or dropped headers)
      3 of 4 requests failed.
      Violated rule: scope: a token without the scope gets 403.
      What to do: Send the status and all headers of the reply."
    `)
  })

  it('says what to do if no request reaches a route of the store', async () => {
    const failure = await failureOf('scope', startWith({ isMounted: true }))
    expect(failure?.message).toMatch(/ reply\. If other rules fail so too, .* mount path, /)
  })

  it('names a known limit in the title of its test, which fails when the host keeps the rule', async () => {
    const limits = {
      link: 'the framework rewrites it',
      'long-list over HTTP/1.0': { sometimes: 'too long' },
    }
    const titles = [...rulesOf(startWith(), { limits }).values()].map(({ title }) => title)
    expect(titles.filter((title) => title.includes('known limit'))).toEqual([
      expect.stringMatching(/^link \(known limit: the framework rewrites it\): Link leads/),
      expect.stringMatching(/^long-list \(known limit: sometimes, too long\): a long list/),
    ])
    expect(
      await failureOf('link', startWith(brokenAdapters['link: drops Link']), { limits }),
    ).toBeUndefined()
    const failure = await failureOf('link', startWith(), { limits })
    expect(failure?.message).toBe('The host keeps the rule link: remove it from limits')
    expect(await failureOf('long-list over HTTP/1.0', startWith(), { limits })).toBeUndefined()
  })

  it('fails for what a known limit does not name', async () => {
    const start = startWith(brokenAdapters['scope: has a list of scopes of its own'])
    const failureWith = (seen: string) =>
      failureOf('scope', start, { limits: { scope: { always: 'a list of its own', seen } } })
    expect(await failureWith('x-content-type-options is null')).toBeUndefined()
    const other = await failureWith('Sent: POST /plants\n')
    expect(other?.message).toMatch(/\nSent: DELETE \/plants\/-9\d+\n/)
    expect(other?.message).toContain('\nViolated rule: scope: ')
    const sometimes = { sometimes: 'a list of its own', seen: 'status 500' }
    expect(await failureOf('scope', start, { limits: { scope: sometimes } })).toBeDefined()
  })

  it('starts the host for each test, and stops it', async () => {
    let [started, stopped] = [0, 0]
    const start: Start = async (store) => {
      started++
      const { url, server } = await listen(adapterOf()(store))
      // It waits for each connection that the tests leave open.
      return { url, stop: () => new Promise((resolve) => server.close(() => resolve(stopped++))) }
    }
    expect(await failureOf('early-refusal', start)).toBeUndefined()
    expect(await failureOf('link', start)).toBeUndefined()
    expect([started, stopped]).toEqual([2, 2])
  })

  it('rejects what is not a framework, a function, a host or an option', async () => {
    const call = testPlantAdapter as (...values: unknown[]) => void
    const framework = { describe() {}, it() {} }
    expect(() => call({ describe() {} }, startWith())).toThrow('got undefined as it')
    expect(() => call(framework, { url: '' })).toThrow('start) takes functions; got an object')
    expect(() => call(framework, startWith(), { limit: {} })).toThrow('Adapter has no option limit')
    expect(() => call(framework, startWith(), { versions: ['3'] })).toThrow(
      'no version of HTTP "3"; it knows 1.0, 1.1, 2',
    )
    expect(() => call(framework, startWith(), { limits: { lnk: '' } })).toThrow('no rule "lnk"; it')
    const failure = await failureOf('link', () => 'http://localhost' as never)
    expect(failure?.message).toBe('start must return { url, stop }; got "http://localhost"')
  })
})
