/** Serialises a value as JSON that preserves bigints and undefined. */
export function write(value: unknown): string {
  return JSON.stringify({ value }, (_, part) =>
    typeof part === 'bigint' ? { bigint: String(part) } : part,
  )
}

/** Parses the output of `write`. */
export function read(text: string): unknown {
  return JSON.parse(text, (_, part) => (part?.bigint ? BigInt(part.bigint) : part)).value
}
