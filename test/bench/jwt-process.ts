import { createLocalJWKSet, jwtVerify } from 'jose'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import type { PlantStore } from '../../src/plant-store.ts'
import { listen } from '../shared/listen.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from '../src/auth/issuer.ts'
import { takeTurns } from './figures.ts'
import { mapStorage } from './map-storage.ts'
import { importBuilt } from './own.ts'
import { addPlants, CALLS_AT_ONCE, cpuOfCalls, incomingRequest } from './plants.ts'
import { answerParent } from './processes.ts'

/** Lists of 10 through `handle`, with each kind of token. */
const SEEN = 2_000
const NEVER_SEEN = 256
const EXPECTED = { issuer: ISSUER, audience: AUDIENCE }

const { createPlantStore } = await importBuilt('src/index.ts')
const { jwtVerifier } = await importBuilt('src/auth/jwt.ts')
const { staticTokens } = await importBuilt('src/auth/tokens.ts')
const { introspectionVerifier } = await importBuilt('src/auth/introspection.ts')

const storage = mapStorage()
await addPlants(storage, 'reader', 100)
const storeWith = (verify: AuthVerifier) => createPlantStore(storage, verify)
const listWith = (token: string) => incomingRequest('GET', '/plants?limit=10', { token })
const withStaticToken = storeWith(staticTokens({ static: 'reader' }))

/** Measures the CPU time of a list in µs. */
type Measurement = () => Promise<number>
type Measurements = Record<string, Measurement>

/** Lists with one token, which is verified before. They reuse few requests, to stay in the processor's cache. */
function seen(store: PlantStore, token: string): Measurement {
  const few = Array.from({ length: CALLS_AT_ONCE }, () => listWith(token))
  const requests = Array.from({ length: SEEN }, (_, i) => few[i % CALLS_AT_ONCE]!)
  return async () => {
    await assertListed(store, token)
    return cpuOfCalls(requests, store.handle)
  }
}

async function assertListed(store: PlantStore, token: string): Promise<void> {
  const reply = await store.handle(listWith(token))
  if (reply?.status !== 200) throw new Error(`A list was answered with ${reply?.status}`)
}

/** Lists with tokens of one algorithm: seen before; and never seen, with the plant store and with jose alone. */
async function jwts(alg: string): Promise<Record<'seen' | 'neverSeen', Measurements>> {
  const { signer, keyOfJose, options } = await makeKeys(alg)
  let made = 0
  const newToken = () => sign(signer, { sub: 'reader', jti: `${made++}` })
  const newTokens = () => Promise.all(Array.from({ length: NEVER_SEEN }, newToken))
  const store = storeWith(jwtVerifier(options))
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
  return { seen: { [`${alg} seen`]: seen(store, await newToken()) }, neverSeen }
}

async function makeKeys(alg: string) {
  if (alg === 'HS256') {
    const secret = crypto.getRandomValues(new Uint8Array(32))
    const signer = { alg, kid: 'k', privateKey: secret }
    return { signer, keyOfJose: secret, options: { secret, ...EXPECTED } }
  }
  const signer = await makeKey(alg, 'k')
  const jwks = { keys: [signer.jwk] }
  return { signer, keyOfJose: createLocalJWKSet(jwks), options: { jwks, ...EXPECTED } }
}

async function introspected(): Promise<Measurement> {
  const { url } = await listen((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"active":true,"sub":"reader"}')
  })
  const options = { endpoint: url, clientId: 'plants', clientSecret: 's3cret', cacheMs: 3_600_000 }
  return seen(storeWith(introspectionVerifier(options)), 'opaque')
}

const algorithms = [
  await jwts('RS256'),
  await jwts('ES256'),
  await jwts('EdDSA'),
  await jwts('HS256'),
]
const seenBefore: Measurements = Object.assign(
  { static: seen(withStaticToken, 'static'), introspection: await introspected() },
  ...algorithms.map(({ seen }) => seen),
)
const neverSeen: Measurements = Object.assign({}, ...algorithms.map(({ neverSeen }) => neverSeen))

answerParent({
  /** µs of CPU a list, by kind of token. */
  async measure(rounds: { warmUp: number; rounds: number }) {
    // The two groups take turns apart, since a list after signatures, and a signature after lists, is dearer.
    const costs = await takeTurns(rounds, seenBefore)
    return { ...costs, ...(await takeTurns(rounds, neverSeen)) }
  },
})
