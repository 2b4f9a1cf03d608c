/** As Promise.all, but what fails waits for the rest: a storage is closed when no call is under way. */
export async function allOf<T>(calls: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}
