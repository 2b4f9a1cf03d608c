/** Algorithms for a shared secret (RFC 7518, section 3.2). */
export const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const

/** Algorithms for a public key (RFC 7518, sections 3.3 to 3.5; RFC 8037; RFC 9864). */
export const PUBLIC_KEY_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const

/** The signature algorithms that a JWT may use. */
export type JwtAlgorithm = (typeof SECRET_ALGORITHMS | typeof PUBLIC_KEY_ALGORITHMS)[number]
