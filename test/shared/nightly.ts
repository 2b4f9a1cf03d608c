import { describe, inject, it } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    isNightly: boolean
  }
}

/** Whether all cases are to be tested, as by `npm run test:nightly`. `npm test` has a short form of what takes long. */
export const isNightly = inject('isNightly')

/** Describes cases that only `npm run test:nightly` has. */
export function describeNightly(name: string, define: () => void): void {
  if (isNightly) describe(name, define)
}

/** A case that only `npm run test:nightly` has. */
export function itNightly(name: string, run: () => Promise<void>): void {
  if (isNightly) it(name, run)
}
