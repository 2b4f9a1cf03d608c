import { beforeEach } from 'vitest'

export const NO_SIGNALS = 'Windows has no signals that a program can handle'

/**
 * Skips the tests of a `describe` if there is a reason to. The end of the run shows it.
 *
 * @example
 * skipBecause(process.platform === 'win32' && 'Windows has no signals')
 */
export function skipBecause(reason: string | false | undefined): void {
  beforeEach(({ skip }) => {
    if (reason) skip(reason)
  })
}
