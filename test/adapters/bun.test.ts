import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toBunHandler } from '../../adapters/bun.ts'
import { internalErrorReply, type Reply, toResponse } from '../../src/adapter.ts'
import { startProgram } from '../runtimes/program.ts'
import { describeServe } from './describe-serve.ts'

const COMMAND = 'bun test/runtimes/entries/closing.ts'

describeServe('Bun', COMMAND)

describe('close() of Bun', () => {
  it('aborts requests that take too long while the app keeps running', async () => {
    const options = JSON.stringify({ graceMs: 400, closesItself: true })
    const { url, signal } = await startProgram(`${COMMAND} ${options}`)
    onTestFinished(async () => void (await signal('SIGTERM')))
    const headers = { authorization: 'Bearer stuck' }
    await expect(fetch(`${url}/plants?limit=1`, { headers })).rejects.toThrow('fetch failed')
  })
})

describe('toBunHandler', () => {
  // Those of every JSON reply, changed, missing or with others.
  const common = fc.record(
    Object.fromEntries(
      Object.entries(internalErrorReply().headers).map(([name, value]) => [
        name,
        fc.constantFrom(value, 'another'),
      ]),
    ),
    { requiredKeys: [] },
  )
  const others = fc.dictionary(
    fc.constantFrom('link', 'x-app', 'allow'),
    fc.stringMatching(/^\w*$/),
  )

  it('sends the headers of the reply, whatever they are', async () => {
    const replies = fc.record({
      status: fc.constantFrom(200, 401),
      headers: fc.tuple(others, common),
    })
    await fc.assert(
      fc.asyncProperty(replies, async ({ status, headers }) => {
        const reply: Reply = { status, headers: Object.assign({}, ...headers), body: '[]' }
        const handler = toBunHandler({ handle: () => reply, notFound: () => reply })
        const response = await handler(new Request('http://localhost'))
        expect(response.status).toBe(status)
        expect([...response.headers]).toEqual([...toResponse(reply).headers])
      }),
    )
  })
})
