import { describe, inject } from 'vitest'

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
