import { expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../runtimes/program.ts'
import { describeServe } from './describe-serve.ts'

const COMMAND = 'bun test/runtimes/entries/closing.ts'

describeServe('Bun', COMMAND)

it('close() of Bun aborts requests that take too long while the app keeps running', async () => {
  const options = JSON.stringify({ graceMs: 400, closesItself: true })
  const { url, signal } = await startProgram(`${COMMAND} ${options}`)
  onTestFinished(async () => void (await signal('SIGTERM')))
  const headers = { authorization: 'Bearer stuck' }
  await expect(fetch(`${url}/plants?limit=1`, { headers })).rejects.toThrow('fetch failed')
})
