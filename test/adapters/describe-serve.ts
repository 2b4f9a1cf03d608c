import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Options } from '../runtimes/entries/closing.ts'
import { startProgram } from '../runtimes/program.ts'
import { NO_SIGNALS, skipBecause } from '../shared/skip.ts'

/** Tests `serve` of a runtime: `command` runs test/runtimes/entries/closing.ts with it. */
export function describeServe(name: string, command: string): void {
  async function start(options: Options = {}) {
    // Deno's flag for reusePort.
    const flagged = command.replace('deno run', 'deno run --unstable-net')
    const program = await startProgram(`${flagged} ${JSON.stringify(options)}`)
    onTestFinished(async () => void (await program.signal('SIGTERM')))
    return program
  }
  const read = (url: string, token: string, path = '/plants?limit=1') =>
    fetch(url + path, { headers: { authorization: `Bearer ${token}` } })

  /** Starts a server, and waits until a request with this token has reached its storage. */
  async function startAsked(token: string, graceMs: number) {
    const program = await start({ graceMs })
    const answer = read(program.url, token)
    answer.catch(() => {})
    await expect.poll(program.output).toContain('asked')
    return { ...program, answer }
  }

  describe(`serve of ${name}`, () => {
    it('listens at 127.0.0.1 only, and rejects when the port is taken', async () => {
      const { url, output } = await start()
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(output()).toContain('The port once more: EADDRINUSE')
      expect((await read(url, 'alice')).status).toBe(200)
    })

    describe('with reusePort', () => {
      skipBecause(process.platform !== 'linux' && 'reusePort needs Linux')

      it('lets others listen on the port too', async () => {
        const { url, output } = await start({ reusePort: true, graceMs: 400 })
        expect(output()).toContain(`The port once more: ${url}\n`)
        expect((await read(url, 'alice')).status).toBe(200)
      })
    })

    describe('at a signal', () => {
      skipBecause(process.platform === 'win32' && NO_SIGNALS)

      it.each(['SIGTERM', 'SIGINT'] as const)(
        'on %s, finishes requests in flight, closes the store, and ends with the app',
        async (signalName) => {
          const { url, output, signal } = await start({ graceMs: 60_000 })
          // It stays behind as an idle connection.
          await (await read(url, 'alice')).text()
          const slow = read(url, 'slow')
          await expect.poll(output).toContain('asked')
          const ended = signal(signalName)
          const answer = await slow
          expect([answer.status, await answer.json()]).toEqual([200, [{ name: 'Plant 1' }]])
          expect(await ended).toBe(0)
          expect(output()).toMatch(/asked\nanswered\nclosed\nthe app is done\n$/)
        },
      )

      it.each([
        ['SIGTERM', 143],
        ['SIGINT', 130],
      ] as const)('ends when requests in flight take too long: %s', async (name, code) => {
        const { output, signal } = await startAsked('stuck', 400)
        expect(await signal(name)).toBe(code)
        expect(output()).toMatch(/asked\n$/)
      })

      it('ends at once at a second signal', async () => {
        const { url, signal } = await startAsked('stuck', 60_000)
        const ended = signal('SIGTERM')
        await vi.waitFor(() => expect(fetch(url)).rejects.toThrow('fetch failed'), 20_000)
        await setTimeout(600)
        void signal('SIGTERM')
        expect(await ended).toBe(143)
      })

      it('takes signals that come together for one, as launchers send them', async () => {
        const { answer, signal } = await startAsked('slow', 60_000)
        const ended = signal('SIGINT')
        await setTimeout(50)
        void signal('SIGINT')
        void signal('SIGTERM')
        expect((await answer).status).toBe(200)
        expect(await ended).toBe(0)
      })

      it('accepts connections for drainDelayMs after SIGTERM, but not after SIGINT', async () => {
        const { url, signal } = await start({ drainDelayMs: 2000 })
        const ended = signal('SIGTERM')
        expect((await read(url, 'alice')).status).toBe(200)
        expect(await ended).toBe(0)
        const urgent = await start({ drainDelayMs: 60_000 })
        expect(await urgent.signal('SIGINT')).toBe(0)
      })

      it.each<[string, Options, number, RegExp]>([
        ['a timer of the app is still running', { isBusy: true }, 0, /closed\nthe app is done\n$/],
        ['the store takes too long to close', { hangsOnClose: true }, 143, /closed\n/],
        ['the store can’t be closed', { isFailing: true }, 1, /closed\n.*The disk is gone/s],
      ])('ends although %s', async (_, options, code, printed) => {
        const { output, signal } = await start({ graceMs: 400, ...options })
        expect(await signal('SIGTERM')).toBe(code)
        expect(output()).toMatch(printed)
      })
    })

    it('serves others between the pages of an endless list', async () => {
      const { url } = await start()
      const list = await read(url, 'heavy', '/plants')
      const reader = list.body!.getReader()
      void (async () => {
        while (!(await reader.read()).done);
      })()
      async function countPages(): Promise<number> {
        const [{ name }] = await (await read(url, 'counting')).json()
        return Number(name)
      }
      const before = await countPages()
      for (let times = 1; times < 10; times++) await countPages()
      // Between two turns in which Deno reads its sockets, a chain of setImmediate() reads 30 pages.
      expect((await countPages()) - before).toBeLessThan(100)
      await reader.cancel()
    })

    it('answers 500 where a wrapper has a status that HTTP does not know', async () => {
      const { url, output } = await start()
      const response = await fetch(`${url}/plants`, { headers: { 'x-mistake': 'status' } })
      expect([response.status, await response.json()]).toMatchObject([500, { error: 50001 }])
      await expect.poll(output).toMatch(/Error\b.*: .+/)
    })

    it('tells onResponse of a client that disconnects during a call', async () => {
      const { url, output } = await start({ showsOutcomes: true })
      const message = request(`${url}/plants?limit=1`, {
        headers: { authorization: 'Bearer slow' },
      })
      message.on('error', () => {}).end()
      await expect.poll(output).toContain('asked')
      message.destroy()
      await expect.poll(output).toContain('asked\nanswered\naborted 499\n')
    })
  })
}
