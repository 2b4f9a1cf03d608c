import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** How a hostile connection ends. With `wait`, the client waits a while for the server to end it. */
export const ENDINGS = ['reset', 'reset when answered', 'half-close', 'close', 'wait'] as const
export type Ending = (typeof ENDINGS)[number]

/** The steps of a hostile connection, as data, so that a seed and an index repeat it. */
export interface Connection {
  readonly name: string
  readonly steps: readonly Step[]
  readonly ending: Ending
}

export type Step =
  | { readonly send: Uint8Array; readonly pieceBytes?: number; readonly everyMs?: number }
  | { readonly waitMs: number }
  | { readonly stopReading: true }

/** A server that stops reading holds a connection up for no longer than this. */
const FLUSH_MS = 2000
const ANSWER_MS = 500
const SERVER_CLOSE_MS = 300

/** It doesn't keep the process alive when it has lost a race. */
const sleep = (ms: number) => delay(ms, undefined, { ref: false })

/** Plays a connection against a server on this machine. Never rejects: whatever the server does is allowed. */
export async function play({ steps, ending }: Connection, port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => {})
  const answered = eventOf(socket, 'data', 'end', 'close')
  const ended = eventOf(socket, 'end', 'close')
  const closed = eventOf(socket, 'close')
  await eventOf(socket, 'connect', 'close')

  for (const step of steps) {
    if (socket.destroyed) break
    if ('send' in step) await send(socket, step)
    else if ('waitMs' in step) await Promise.race([sleep(step.waitMs), closed])
    else socket.pause()
  }

  if (ending === 'reset when answered') await Promise.race([answered, sleep(ANSWER_MS)])
  if (ending === 'half-close') socket.end()
  if (ending === 'close') socket.destroy()
  if (ending === 'wait' || ending === 'half-close') {
    await Promise.race([ended, sleep(SERVER_CLOSE_MS)])
  }
  // libuv refuses to reset a socket that is being shut down, and Node then never closes it.
  if (socket.writableEnded) socket.destroy()
  else if (!socket.destroyed) socket.resetAndDestroy()
  await closed
}

async function send(socket: Socket, step: Extract<Step, { send: Uint8Array }>): Promise<void> {
  const { send: bytes, pieceBytes = bytes.byteLength, everyMs } = step
  for (let at = 0; at < bytes.byteLength && socket.writable; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes)
    const flushed = new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    await Promise.race([flushed, sleep(FLUSH_MS)])
    if (everyMs !== undefined) await sleep(everyMs)
  }
}

function eventOf(socket: Socket, ...names: string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const name of names) socket.once(name, () => resolve())
  })
}
