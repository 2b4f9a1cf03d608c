import { text } from 'node:stream/consumers'

/** Reports on standard output that this process is ready, and waits until the time read from standard input. */
export async function startTogether(): Promise<void> {
  console.log('ready')
  const moment = Number(await text(process.stdin))
  // Busy waiting, so that all processes begin at once.
  while (Date.now() < moment);
}
