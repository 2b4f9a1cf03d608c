import { expect } from 'vitest'

/** Returns the error that a call rejects with. */
export function failureOf(answer: unknown): Promise<any> {
  return Promise.resolve(answer).then(
    (value) => expect.fail(`answered ${value}`),
    (error) => error,
  )
}
