import { text } from 'node:stream/consumers'

/** Says on standard output that this process is ready, and waits for the time that it reads from standard input. */
export async function startTogether(): Promise<void> {
  console.log('ready')
  const moment = Number(await text(process.stdin))
  // Not asleep, since all are to begin at once.
  while (Date.now() < moment);
}
