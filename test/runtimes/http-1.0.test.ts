import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'

import { hosts } from './hosts.ts'
import { startProgram } from './program.ts'

const GET =
  'GET /plants HTTP/1.0\r\nhost: localhost\r\nauthorization: Bearer owner-breaking\r\n\r\n'

/** Reads a list that breaks off in the middle, and returns what came and how the connection ended. */
async function breakingList(command: string): Promise<{ text: string; end: string }> {
  const program = await startProgram(command)
  try {
    const { hostname, port } = new URL(program.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (data) => (text += data))
    socket.write(GET)
    const end = await Promise.race([
      new Promise<string>((resolve) => socket.on('end', () => resolve('like a complete list'))),
      new Promise<string>((resolve) => socket.on('error', ({ code }: any) => resolve(code))),
    ])
    return { text, end }
  } finally {
    await program.stop()
  }
}

// Its body has neither a length nor chunks, so only a reset tells a truncated one from a complete one.
describe.concurrent('A list that breaks off in the middle of an HTTP/1.0 response', () => {
  it.each([
    ['Bun', hosts.Bun],
    ['plant-store/node in Deno', hosts.Deno.replace('deno.ts', 'node.ts')],
  ])('resets the connection: %s', async (_, command) => {
    expect((await breakingList(command)).end).toBe('ECONNRESET')
  })

  it('leaves its JSON open in Deno.serve, which neither tells the version nor can reset', async () => {
    const { text, end } = await breakingList(hosts.Deno)
    expect(end).toBe('like a complete list')
    expect(text).toMatch(/\[\{"name":"[^\]]*$/)
  })
})
