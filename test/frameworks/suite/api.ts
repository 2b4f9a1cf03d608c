import type { Mount } from '../apps.ts'

/** The store in a running app. */
export interface Api {
  /** Where it is mounted, without a slash at the end. */
  readonly url: string
  readonly mount: Mount
  /** Its title in the table of results. */
  readonly title: string
}

/** The token of every app; it opens the plants of `alice`. */
export const TOKEN = 's3cret'
