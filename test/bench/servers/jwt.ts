import type { PlantStorage } from '../../../src/plant-storage.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from '../../src/auth/issuer.ts'
import { importBuilt } from '../own.ts'
import { verify } from './contract.ts'
import * as plantStore from './plant-store.ts'

/** The JWT that the lists are to be sent with. */
export let token: string | undefined

/** The plant store with JWTs of an algorithm, beside the tokens that every server knows. */
const withJwt = (alg: string) => async (storage: PlantStorage) => {
  const { jwtVerifier } = await importBuilt('src/auth/jwt.ts')
  const signer = await makeKey(alg, 'k')
  token = await sign(signer, { sub: 'reader' })
  const jwks = { keys: [signer.jwk] }
  const verifyJwt = jwtVerifier({ jwks, issuer: ISSUER, audience: AUDIENCE })
  return plantStore.listen(storage, (token, context) =>
    token.includes('.') ? verifyJwt(token, context) : verify(token),
  )
}

export const RS256 = withJwt('RS256')
export const ES256 = withJwt('ES256')
export const EdDSA = withJwt('EdDSA')

/** The plant store with static tokens. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { staticTokens } = await importBuilt('src/auth/tokens.ts')
  const owners = { 'token-of-a-reader': 'reader', 'token-of-a-writer': 'writer' }
  return plantStore.listen(storage, staticTokens(owners))
}
