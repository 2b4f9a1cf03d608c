import { createServer } from 'node:http'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { listen } from '../shared/listen.ts'
import { mapStorage } from './map-storage.ts'
import { importBuilt, importCore } from './own.ts'
import { addPlants, cpuOfCalls, incomingRequest } from './plants.ts'
import { answerParent } from './processes.ts'

/** Lists of 10 through `handle`, with each kind of token. */
const SEEN = 2_000
const NEVER_SEEN = 192
const EXPECTED = { issuer: 'https://login.example/', audience: 'https://plants.example' }

const { createPlantStore } = await importCore()
const { jwtVerifier } = await importBuilt<typeof import('../../src/auth/jwt.ts')>('src/auth/jwt.ts')
const { staticTokens } =
  await importBuilt<typeof import('../../src/auth/tokens.ts')>('src/auth/tokens.ts')
const { introspectionVerifier } = await importBuilt<
  typeof import('../../src/auth/introspection.ts')
>('src/auth/introspection.ts')

const storage = mapStorage()
await addPlants(storage, 'reader', 100)
const storeWith = (verify: AuthVerifier) => createPlantStore(storage, verify)
const listWith = (token: string) => incomingRequest('GET', '/plants?limit=10', { token })
const withStaticToken = storeWith(staticTokens({ 'token-of-a-reader': 'reader' }))
const STATIC = listWith('token-of-a-reader')

/** Measures the CPU time of a list in µs. */
type Measurement = () => Promise<number>

/** Lists with one token, which is verified before. */
function seen(verify: AuthVerifier, token: string): Measurement {
  const store = storeWith(verify)
  const requests = Array.from({ length: SEEN }, () => listWith(token))
  return async () => {
    const reply = await store.handle(requests[0]!)
    if (reply?.status !== 200) throw new Error(`A list was answered with ${reply?.status}`)
    return cpuOfCalls(requests, store.handle)
  }
}

/** Lists with tokens of one algorithm: seen before, never seen, and with jose alone. */
async function jwts(algorithm: string): Promise<Record<string, Measurement>> {
  const { key, publicKey, keys } = await makeKeys(algorithm)
  const sign = (_: unknown, i: number) =>
    new SignJWT({ sub: 'reader', jti: `${i}` })
      .setProtectedHeader({ alg: algorithm, kid: 'k' })
      .setIssuer(EXPECTED.issuer)
      .setAudience(EXPECTED.audience)
      .setExpirationTime('1h')
      .sign(key)
  const [first, ...tokens] = await Promise.all(Array.from({ length: NEVER_SEEN + 1 }, sign))
  return {
    [`${algorithm} seen`]: seen(jwtVerifier({ ...keys, ...EXPECTED }), first!),
    async [`${algorithm} never seen`]() {
      // A new verifier has seen none of them. The first token makes it import the key.
      const store = storeWith(jwtVerifier({ ...keys, ...EXPECTED }))
      await store.handle(listWith(first!))
      return cpuOfCalls(tokens.map(listWith), store.handle)
    },
    [`${algorithm} jose`]: () =>
      cpuOfCalls(tokens, async (token) => {
        await jwtVerify(token, publicKey as any, EXPECTED)
        return withStaticToken.handle(STATIC)
      }),
  }
}

async function makeKeys(algorithm: string) {
  if (algorithm === 'HS256') {
    const secret = crypto.getRandomValues(new Uint8Array(32))
    return { key: secret, publicKey: secret, keys: { secret } }
  }
  const pair = await generateKeyPair(algorithm)
  const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: algorithm }] }
  return { key: pair.privateKey, publicKey: createLocalJWKSet(jwks), keys: { jwks } }
}

async function introspected(): Promise<Measurement> {
  const { url } = await listen(
    createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"active":true,"sub":"reader"}')
    }),
  )
  const client = { clientId: 'plants', clientSecret: 's3cret' }
  return seen(introspectionVerifier({ endpoint: url, ...client, cacheMs: 3_600_000 }), 'opaque')
}

const measurements: Record<string, Measurement> = {
  static: () => cpuOfCalls(new Array(SEEN).fill(STATIC), withStaticToken.handle),
  ...(await jwts('RS256')),
  ...(await jwts('ES256')),
  ...(await jwts('EdDSA')),
  ...(await jwts('HS256')),
  introspection: await introspected(),
}

answerParent({
  /** µs of CPU a list, by kind of token. */
  async round({ round }: { round: number }) {
    const entries = Object.entries(measurements)
    const costs: Record<string, number> = {}
    for (const [name, measure] of round % 2 === 0 ? entries : entries.reverse()) {
      costs[name] = await measure()
    }
    return costs
  },
})
