let current: Promise<void> | undefined

/** Resolves when all connections that are readable in this turn of the event loop have been read. */
export function turn(): Promise<void> {
  current ??= new Promise((resolve) => {
    setImmediate(() => {
      current = undefined
      resolve()
    })
  })
  return current
}
