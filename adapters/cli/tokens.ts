/**
 * Reads the owner of each token from entries such as `s3cret=alice`.
 *
 * @throws Error without a token in it
 */
export function readTokens(name: string, entries: string[]): Record<string, string> {
  const pairs = entries.map((entry, index): [string, string] => {
    // A token68 may end in =, so an owner has none here.
    const [, token, owner] = /^([\w\-.~+/]+=*)=([^=]+)$/.exec(entry.trim()) ?? []
    if (token && owner) return [token, owner]
    const form = name === '--token' ? 'token=owner' : 'token=owner[,token=owner…]'
    const rule = 'A token has only A-Z, a-z, 0-9 and -._~+/, and = only at its end'
    throw new Error(`${name} must be ${form}; entry ${index + 1} isn't. ${rule}`)
  })
  const tokens = Object.fromEntries(pairs)
  if (Object.keys(tokens).length === pairs.length) return tokens
  throw new Error(`${name} has one token twice`)
}
