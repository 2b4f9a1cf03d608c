import { settleAll } from './settle-all.ts'

const CONCURRENT_CALLS = 64

/** Calls the function for each item, with so many calls at once. */
export async function atOnce<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
  width = CONCURRENT_CALLS,
): Promise<void> {
  const left = items.values()
  await settleAll(
    Array.from({ length: width }, async () => {
      for (const item of left) await call(item)
    }),
  )
}
