/** Like `Promise.all`, but waits for every call, so that a storage is never closed during a call. */
export async function settleAll<const T extends readonly unknown[]>(
  calls: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}
