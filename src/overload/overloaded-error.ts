/**
 * Rejects a call that was refused before it began, since too many wait. The core recognises it by its `code`. Create it
 * once and not for each refusal: capturing its stack takes as long as the rest.
 */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
  readonly code = 'overloaded'
}
