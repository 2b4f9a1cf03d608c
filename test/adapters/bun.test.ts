import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../runtimes/program.ts'
import { describeServe } from './describe-serve.ts'

const COMMAND = 'bun test/runtimes/entries/closing.ts'

describeServe('Bun', COMMAND)

describe('close() of Bun', () => {
  it('tells clients that their connections end', async () => {
    const { url, output, signal } = await startProgram(`${COMMAND} {"graceMs":60000}`)
    const headers = { authorization: 'Bearer slow' }
    const answer = fetch(`${url}/plants?limit=1`, { headers })
    await expect.poll(output).toContain('asked')
    const ended = signal('SIGTERM')
    expect((await answer).headers.get('connection')).toBe('close')
    expect(await ended).toBe(0)
  })

  it('aborts requests that take too long while the app keeps running', async () => {
    const options = JSON.stringify({ graceMs: 400, closesItself: true })
    const { url, signal } = await startProgram(`${COMMAND} ${options}`)
    onTestFinished(async () => void (await signal('SIGTERM')))
    const headers = { authorization: 'Bearer stuck' }
    await expect(fetch(`${url}/plants?limit=1`, { headers })).rejects.toThrow('fetch failed')
  })
})
