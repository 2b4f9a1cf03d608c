import { settleAll } from './settle-all.ts'

const CONCURRENT_CALLS = 64

/** Calls the function for each item, with many calls at once. */
export async function atOnce<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  await settleAll(
    Array.from({ length: CONCURRENT_CALLS }, async () => {
      for (const item of left) await call(item)
    }),
  )
}
