import { lookup } from 'node:dns/promises'

/** Says what to do about the usual reasons why a server can't listen. */
export function explainListenError(
  error: NodeJS.ErrnoException,
  { port, hostname }: { port: number; hostname: string },
): Error {
  const noHost = `${hostname} is not the name of a host. Choose another, such as --hostname 127.0.0.1`
  const advice: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${hostname} is in use. Stop the program that uses it, or choose another port, such as --port ${port + 1}`,
    EACCES: `the system doesn't let you use port ${port}. Choose one above 1023, such as --port 3000`,
    EADDRNOTAVAIL: `${hostname} is not an address of this machine. Choose another, such as --hostname 127.0.0.1`,
    ENOTFOUND: noHost,
    EAI_AGAIN: noHost,
  }
  const { code = '' } = error
  return Object.hasOwn(advice, code) ? new Error(`${advice[code]} (${code})`) : error
}

/**
 * Refuses to let others use the demo token, which everybody knows.
 *
 * @throws (rejects with) Error unless only this machine can reach the host
 */
export async function assertLocalHost(address: { port: number; hostname: string }): Promise<void> {
  const { hostname } = address
  if (/^(?:localhost|::1|127(?:\.\d+){3})$/.test(hostname)) return
  await lookup(hostname).catch((error) => {
    throw explainListenError(error, address)
  })
  throw new Error(
    `${hostname} can be reached by others, so set PLANT_STORE_TOKENS=token=owner[,token=owner…] or --token token=owner`,
  )
}
