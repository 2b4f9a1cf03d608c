/**
 * Why work was refused before it began, for `onError`. Create it once and not for each refusal: capturing its stack takes
 * as long as the rest.
 */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
  readonly code = 'overloaded'
}
