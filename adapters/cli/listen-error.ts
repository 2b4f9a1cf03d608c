/** Says what to do about the usual reasons why a server can't listen. */
export function explainListenError(
  error: NodeJS.ErrnoException,
  { port, hostname }: { port: number; hostname: string },
): Error {
  const advice: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${hostname} is in use. Stop the program that uses it, or choose another port, such as --port ${port + 1}`,
    EACCES: `the system doesn't let you use port ${port}. Choose one above 1023, such as --port 3000`,
    EADDRNOTAVAIL: `${hostname} is not an address of this machine. Choose another, such as --hostname 127.0.0.1`,
    ENOTFOUND: `${hostname} is not the name of a host. Choose another, such as --hostname 127.0.0.1`,
  }
  const { code = '' } = error
  return Object.hasOwn(advice, code) ? new Error(`${advice[code]} (${code})`) : error
}
