/** An issue that zod found in a value: the member, and a message such as `is required`. */
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Describes each member of a value that is wrong, such as `id is required`.
 *
 * @param whole the name of the value, for when it isn't an object
 */
export function describeProblems(issues: readonly Issue[], whole: string): string[] {
  return issues.map(({ path, message }) => `${path.join('.') || whole} ${message}`)
}
