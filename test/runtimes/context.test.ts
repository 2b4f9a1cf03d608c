import { expect, it, onTestFinished } from 'vitest'
import { startProgram } from './program.ts'

// There, the adapters answer the requests together that come together.
const runtimes = { Node: 'node', Bun: 'bun' }

it.each(Object.entries(runtimes))(
  'AsyncLocalStorage on %s is that of the request in the verifier, the storage on every page, and the hooks',
  async (_, command) => {
    const program = await startProgram(`${command} test/runtimes/entries/context.ts`)
    onTestFinished(program.stop)
    const list = (owner: string) =>
      fetch(`${program.url}/plants`, { headers: { authorization: `Bearer ${owner}` } })
    const whole = await Promise.all(['a', 'b', 'c'].map(list))
    for (const response of whole) expect(await response.json()).toHaveLength(300)
    expect((await list('broken')).status).toBe(500)
    await (await list('gone')).body!.cancel()
    await expect.poll(program.output).toContain('aborted')

    const notes = program
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.includes('http'))
    for (const line of notes) expect(line).toMatch(/^(\w+) (\w+) \2$/)
    const pages = notes.filter((line) => line === 'storage a a')
    expect(pages.length).toBeGreaterThan(4)
    for (const line of ['verifier a a', 'sent a a', 'onError broken broken', 'aborted gone gone']) {
      expect(notes).toContain(line)
    }
  },
)
