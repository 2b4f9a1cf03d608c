import { expect } from 'vitest'

/** Returns the error that a call rejects with. */
export async function failureOf(answer: unknown): Promise<any> {
  try {
    return expect.fail(`answered ${await answer}`)
  } catch (error) {
    return error
  }
}
