import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startProgram } from '../runtimes/program.ts'

/** Tests `serve` of a runtime that is no Node: `command` runs test/runtimes/entries/closing.ts with it. */
export function describeServe(name: string, command: string): void {
  async function start() {
    const program = await startProgram(command)
    onTestFinished(() => program.stop())
    return program
  }
  const read = (url: string, token: string, path = '/plants?limit=1') =>
    fetch(url + path, { headers: { authorization: `Bearer ${token}` } })

  describe(`serve of ${name}`, () => {
    it('listens at 127.0.0.1 alone, and rejects where somebody listens already', async () => {
      const { url, output } = await start()
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(output()).toContain('The port once more: EADDRINUSE')
      expect((await read(url, 'alice')).status).toBe(200)
    })

    it('finishes what is under way on SIGTERM, then closes the store and ends', async () => {
      const { url, output, stop } = await start()
      // It stays behind as an idle connection.
      await (await read(url, 'alice')).text()
      const slow = read(url, 'slow')
      await vi.waitFor(() => expect(output()).toContain('asked'))
      const stopped = stop()
      const answer = await slow
      expect([answer.status, await answer.json()]).toEqual([200, [{ name: 'Plant 1' }]])
      await stopped
      expect(output()).toMatch(/asked\nanswered\nclosed\n$/)
    })

    it('ends all the same when what is under way takes too long', async () => {
      const { url, output, stop } = await start()
      read(url, 'stuck').catch(() => {})
      await vi.waitFor(() => expect(output()).toContain('asked'))
      // It would kill after 10 s, and that is a failure.
      await stop()
      expect(output()).toMatch(/asked\nclosed\n$/)
    })

    it('claims no length in HEAD but that of GET', async () => {
      const { url } = await start()
      const lengths = async (method: string, path: string) => {
        const message = request(url + path, {
          method,
          headers: { authorization: 'Bearer alice' },
          agent: false,
        }).end()
        const [answer] = await once(message, 'response')
        answer.resume()
        await once(answer, 'close')
        return answer.headers['content-length']
      }
      const length = await lengths('GET', '/plants?limit=1')
      expect(length).toMatch(/^\d+$/)
      expect(await lengths('HEAD', '/plants?limit=1')).toBe(length)
      expect(await lengths('GET', '/plants')).toBeUndefined()
      expect(await lengths('HEAD', '/plants')).toBeUndefined()
    })
  })
}
