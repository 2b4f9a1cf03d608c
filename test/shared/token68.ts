import fc from 'fast-check'

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/']

/** Generates bearer tokens (RFC 6750, section 2.1). */
export const token68 = (minLength = 1) =>
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength, maxLength: 60 }),
      fc.constantFrom('', '=', '=='),
    )
    .map(([text, padding]) => text + padding)
