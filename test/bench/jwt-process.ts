import { createLocalJWKSet, jwtVerify } from 'jose'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from '../src/auth/issuer.ts'
import { takeTurns } from './figures.ts'
import { mapStorage } from './map-storage.ts'
import { importBuilt } from './own.ts'
import { addPlants, cpuOfCalls, incomingRequest } from './plants.ts'

/** The tokens of one measurement. */
const NEVER_SEEN = 256
const EXPECTED = { issuer: ISSUER, audience: AUDIENCE }

const { serve } = await importBuilt('adapters/node.ts')
const { createPlantStore } = await importBuilt('src/index.ts')
const { jwtVerifier } = await importBuilt('src/auth/jwt.ts')
const { staticTokens } = await importBuilt('src/auth/tokens.ts')

const storage = mapStorage()
await addPlants(storage, 'reader', 100)
const storeWith = (verify: AuthVerifier) => createPlantStore(storage, verify)
const listWith = (token: string) => incomingRequest('GET', '/plants?limit=10', { token })
const withStaticToken = storeWith(staticTokens({ static: 'reader' }))

/** Where lists with a token are served. */
export interface TokenServer {
  port: number
  token: string
}

/** Measures the CPU time of a list in µs. */
type Measurements = Record<string, () => Promise<number>>

async function serveWith(verify: AuthVerifier, token: string): Promise<TokenServer> {
  const { port } = await serve(storeWith(verify), { port: 0 })
  return { port, token }
}

/** A server for a token of this algorithm, and lists with tokens never seen, with the plant store and with jose alone. */
async function jwts(alg: string): Promise<{ server: TokenServer; neverSeen: Measurements }> {
  const { signer, keyOfJose, options } = await makeKeys(alg)
  let made = 0
  const newToken = () => sign(signer, { sub: 'reader', jti: `${made++}` })
  const newTokens = () => Promise.all(Array.from({ length: NEVER_SEEN }, newToken))
  const verify = jwtVerifier(options)
  const store = storeWith(verify)
  const neverSeen = {
    async [`${alg} never seen`]() {
      return cpuOfCalls((await newTokens()).map(listWith), store.handle)
    },
    async [`${alg} jose`]() {
      const requests = (await newTokens()).map((token) => ({ token, list: listWith('static') }))
      return cpuOfCalls(requests, async ({ token, list }) => {
        await jwtVerify(token, keyOfJose as any, EXPECTED)
        return withStaticToken.handle(list)
      })
    },
  }
  return { server: await serveWith(verify, await newToken()), neverSeen }
}

async function makeKeys(alg: string) {
  const signer = await makeKey(alg, 'k')
  const jwks = { keys: [signer.jwk] }
  return { signer, keyOfJose: createLocalJWKSet(jwks), options: { jwks, ...EXPECTED } }
}

const servers: Record<string, TokenServer> = {
  static: await serveWith(staticTokens({ static: 'reader' }), 'static'),
}
const neverSeen: Measurements = {}
for (const alg of ['RS256', 'ES256', 'EdDSA']) {
  const measured = await jwts(alg)
  servers[alg] = measured.server
  Object.assign(neverSeen, measured.neverSeen)
}

answerParent({
  servers: () => servers,
  /** µs of CPU a list with a token never seen. */
  measure: (rounds: { warmUp: number; rounds: number }) => takeTurns(rounds, neverSeen),
})
