import { spawnSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { listen } from '../shared/listen.ts'
import { connect } from '../shared/wire.ts'

// Limits of these hosts. Where a test fails, upstream has changed, and the guide must too.
describe('Without the plant store', () => {
  it('Fastify ends the process if a handler finishes while an onError hook runs', () => {
    // A minimal case for the host's maintainers.
    const script = `${import.meta.dirname}/upstream/fastify-handler-timeout.ts`
    const options = { encoding: 'utf8', timeout: 30_000 } as const
    const { status, stderr } = spawnSync(process.execPath, [script], options)
    expect(status).toBe(1)
    expect(stderr).toContain('FST_ERR_SEND_INSIDE_ONERR')
  })

  it.each([
    ['ends its side', '', null],
    ['sends something malformed', 'GARBAGE\r\n\r\n', 400],
  ])(
    'node:http loses the response of a request in progress if its client %s',
    async (_, more, status) => {
      const carriedOut = vi.fn()
      const { port, close } = await listen(async (_request, response) => {
        await setTimeout(100)
        carriedOut()
        response.end('too late')
      })
      const wire = await connect(port)
      wire.send('DELETE /plants/7 HTTP/1.1\r\nHost: garden\r\n\r\n')
      await setTimeout(20)
      if (more) wire.send(more)
      else wire.socket.end()
      expect((await wire.receive())?.status ?? null).toBe(status)
      await vi.waitFor(() => expect(carriedOut).toHaveBeenCalled())
      wire.socket.destroy()
      await close()
    },
  )
})
