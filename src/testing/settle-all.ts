/** Like `Promise.all`, but waits for every call, so that a storage is never closed during a call. */
export async function settleAll<T>(calls: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}
