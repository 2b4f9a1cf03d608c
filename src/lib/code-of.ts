/** The stable `code` of whatever was thrown. Not its class: two copies of this package may meet in one process. */
export function codeOf(thrown: unknown): unknown {
  return (thrown as { code?: unknown } | null | undefined)?.code
}
