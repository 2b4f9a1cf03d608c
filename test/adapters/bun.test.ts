import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run, startProgram } from '../runtimes/program.ts'
import { NO_SIGNALS, skipBecause } from '../shared/skip.ts'
import { describeServe } from './describe-serve.ts'

const COMMAND = 'bun test/runtimes/entries/closing.ts'

describeServe('Bun', COMMAND)

async function start(options: object) {
  const program = await startProgram(`${COMMAND} ${JSON.stringify(options)}`)
  onTestFinished(async () => void (await program.signal('SIGTERM')))
  const read = (token: string) =>
    fetch(`${program.url}/plants?limit=1`, { headers: { authorization: `Bearer ${token}` } })
  return { ...program, read }
}

it('close() of Bun aborts requests that take too long while the app keeps running', async () => {
  const { read } = await start({ graceMs: 400, closesItself: true })
  await expect(read('stuck')).rejects.toThrow('fetch failed')
})

it('serve of Bun lets a client wait for a slow storage for as long as Bun can, which is 255 s', async () => {
  const program = `
    import { plants } from './test/shared/plants.ts'
    import { serve } from './adapters/bun.ts'
    const { serve: start } = Bun
    Bun.serve = (options) => {
      console.log(options.idleTimeout)
      return start(options)
    }
    const server = await serve(plants(), { port: 0 })
    await server.close()`
  expect((await run('bun', ['--eval', program])).stdout).toBe('255\n')
})

describe('serve of Bun at SIGTERM', () => {
  skipBecause(process.platform === 'win32' && NO_SIGNALS)

  it('answers for a moment with Connection: close, and waits for no half-sent request', async () => {
    const { url, signal, read } = await start({ graceMs: 60_000 })
    const halfSent = connect(Number(new URL(url).port)).on('error', () => {})
    halfSent.write('GET /pl')
    await (await read('alice')).text()
    const ended = signal('SIGTERM')
    await vi.waitFor(
      async () => expect((await read('alice')).headers.get('connection')).toBe('close'),
      { timeout: 10_000, interval: 1 },
    )
    expect(await ended).toBe(0)
  })
})
