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

/** What a runtime's server knows of stopping. */
interface Stoppable {
  /** Stops accepting; settles when all that is under way is finished. */
  stop(): Promise<unknown>
  /** Breaks off what is still under way. */
  abort?(): unknown
}

/**
 * Makes a server's `close`, which SIGTERM and SIGINT call too: it lets what is under way finish for at
 * most 8 seconds, and closes the store then. A second signal kills.
 */
export function closeOnSignal(
  server: Stoppable,
  store: { close(): Promise<void> },
): () => Promise<void> {
  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    closing ??= shutDown()
    return closing
  }
  async function shutDown() {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeUp = new Promise((resolve) => {
      timer = setTimeout(resolve, GRACE_MS)
    })
    await Promise.race([server.stop(), timeUp])
    clearTimeout(timer)
    await server.abort?.()
    await store.close()
  }
  function onSignal() {
    close().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return close
}
