import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Returns a port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer())
  await close()
  return port
}
