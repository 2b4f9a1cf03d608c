/** The syntax of a bearer token: RFC 9110, section 11.2. */
export const TOKEN68 = /^[a-z0-9\-._~+/]+=*$/i
