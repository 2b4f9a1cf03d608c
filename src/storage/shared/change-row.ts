import { pause } from './retries.ts'

// Between a create and the look at its plant, another call may delete it. With 200 callers that create and delete one
// plant over a network, ten times in a row was seen once in 40 000 calls.
export const MAX_TRIES = 20

/** A create or delete of one row, as a database tells of it. */
export interface RowChange {
  readonly operation: 'create' | 'delete'
  /** Sends the statement. Resolves to whether it has changed a row. */
  write(): Promise<boolean>
  /** Whether the row is there. */
  find(): Promise<boolean>
  /** The error for a statement that changes nothing, although it should. */
  toError(): Error
}

/**
 * Changes a row. Resolves to false only if that is true: the row was there before a create, or was missing before a
 * delete. A statement that changes no row may also have been ignored, by a trigger, or interrupted.
 */
export async function changeRow({ operation, write, find, toError }: RowChange): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await write()) return true
    if ((await find()) === (operation === 'create')) return false
    // Or another call came in between, so that nothing is known yet.
    await pause()
  }
  throw toError()
}
