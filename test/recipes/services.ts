/** Makes a page's file export the options of its verifier, so that a test can give it other keys. */
export function toOptions(code: string): string {
  return code.replace('verify = jwtVerifier(', 'options = (')
}
