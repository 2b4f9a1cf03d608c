import { expect, it } from 'vitest'
import { staticTokens } from '../../src/auth/tokens.ts'

const COUNT = 200
const LENGTH = 4096
const tokenOf = (index: number) => `${index}`.padStart(LENGTH, 'x')
const tokens = Array.from({ length: COUNT }, (_, index) => tokenOf(index))
const verifierOf = (known: string[]) =>
  staticTokens(Object.fromEntries(known.map((token) => [token, 'alice'])))

/** The least time of many calls, which a busy machine doesn't change, of each of some tokens in turn. */
function leastTimes(verify: (token: string) => unknown, guesses: string[]): number[] {
  const times = guesses.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < 40; round++) {
    for (const [index, guess] of guesses.entries()) {
      const start = performance.now()
      verify(guess)
      times[index] = Math.min(times[index]!, performance.now() - start)
    }
  }
  return times
}

it('A token is compared with each known one to its end, however much of it is right', () => {
  const right = tokenOf(COUNT - 1)
  const guesses = [
    ...['y'.repeat(LENGTH), `y${right.slice(1)}`, `${right.slice(0, -1)}y`],
    ...[tokenOf(0), right],
  ]
  const times = leastTimes(verifierOf(tokens), guesses)
  // To stop at the first token, or at the first character that differs, would be many times as fast.
  expect(Math.max(...times) / Math.min(...times), `${times} ms`).toBeLessThan(4)
  // A look-up in a Map takes no longer for more tokens.
  const [alone] = leastTimes(verifierOf(tokens.slice(0, COUNT / 100)), guesses)
  expect(times[0]! / alone!, `${times[0]} and ${alone} ms`).toBeGreaterThan(10)
})
