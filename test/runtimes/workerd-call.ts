/** Writes a value as JSON that keeps bigints and undefined apart from everything else. */
export function write(value: unknown): string {
  return JSON.stringify({ value }, (_, part) =>
    typeof part === 'bigint' ? { bigint: String(part) } : part,
  )
}

/** Reads what `write` wrote. */
export function read(text: string): unknown {
  return JSON.parse(text, (_, part) => (part?.bigint ? BigInt(part.bigint) : part)).value
}
