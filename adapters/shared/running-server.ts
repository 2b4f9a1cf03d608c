/** Where `serve` listens. */
export interface ServeOptions {
  /** The TCP port; 0 takes a free one. Default: 3000. */
  port?: number
  /** The name or address to listen at. Default: `127.0.0.1`, so nobody but this machine. */
  hostname?: string
}

/** A server that listens. */
export interface RunningServer {
  /** Where it is reached, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting, finishes the requests under way for at most 8 seconds, then closes the store.
   * Rejects with what the closing of the store throws.
   */
  close(): Promise<void>
}

/** Less than the 10 s after which `docker stop` kills. */
const GRACE_MS = 8000

/** How a shell tells that a program has ended by a signal. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 }

/** What a runtime's server knows of stopping. */
interface Stoppable {
  /** Stops accepting; settles when all that is under way is finished. */
  stop(): Promise<unknown>
  /** Breaks off what is still under way. */
  abort?(): unknown
}

/**
 * Makes a server's `close`, which SIGTERM and SIGINT call too: it lets what is under way finish for at
 * most 8 seconds, and closes the store then. After a signal, what is not finished by then ends with the
 * process. A second signal kills.
 */
export function closeOnSignal(
  server: Stoppable,
  store: { close(): Promise<void> },
): () => Promise<void> {
  let closing: Promise<boolean> | undefined
  function close(): Promise<boolean> {
    closing ??= shutDown()
    return closing
  }
  async function shutDown() {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeUp = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS, false)
    })
    const finished = await Promise.race([server.stop().then(() => true), timeUp])
    clearTimeout(timer)
    await server.abort?.()
    await store.close()
    return finished
  }
  async function onSignal(signal: keyof typeof EXIT_CODES) {
    try {
      // What could not be finished would keep the process alive for as long as it takes. To send itself
      // the signal again, a process of Deno's would need --allow-run.
      if (!(await close())) process.exit(EXIT_CODES[signal])
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return async () => void (await close())
}
