import type { FlattenedJWSInput, JWTHeaderParameters, JWTVerifyGetKey } from 'jose'

type Key = Awaited<ReturnType<JWTVerifyGetKey>>

/**
 * Wraps a function of jose that finds a key by `alg` and `kid`, so that a key that was found before needs none
 * of its promises: a JWT that was never seen takes 1.3 of 49 µs less (npm run bench -- jwt).
 *
 * @param getKeySet returns the key set in use. Keys of any other are forgotten
 */
export function rememberKeys(findKey: JWTVerifyGetKey, getKeySet: () => unknown): JWTVerifyGetKey {
  const keys = new Map<string, Key>()
  let keySet: unknown

  async function find(name: string, header: JWTHeaderParameters, token: FlattenedJWSInput) {
    const asked = getKeySet()
    const key = await findKey(header, token)
    // If the key set has changed meanwhile, the key may be of either.
    if (getKeySet() === asked) keys.set(name, key)
    return key
  }

  return (header, token) => {
    // More than one key may fit a token without a kid.
    if (typeof header.kid !== 'string') return findKey(header, token)
    if (getKeySet() !== keySet) {
      keys.clear()
      keySet = getKeySet()
    }
    const name = `${header.alg} ${header.kid}`
    return keys.get(name) ?? find(name, header, token)
  }
}
