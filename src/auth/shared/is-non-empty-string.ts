/** Whether the value is a string that is not empty. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
