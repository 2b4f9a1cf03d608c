/** Resolves after a time. If the signal is aborted before, it never settles, and its timer is cleared. */
export function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
