/** Longer tokens are refused unseen: no issuer writes them, and a server's header limit is about this. */
export const MAX_TOKEN_LENGTH = 16 * 1024
