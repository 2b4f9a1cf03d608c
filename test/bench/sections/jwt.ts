import { createLocalJWKSet, jwtVerify } from 'jose'
import { AUDIENCE, ISSUER, makeKey, sign } from '../../src/auth/issuer.ts'
import { duel, LIST } from '../compare.ts'
import { type Row, ratioRow, type Section, takeTurns } from '../figures.ts'
import { mapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import { addPlants, cpuOfCalls } from '../plants.ts'
import { node } from '../servers.ts'

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
const SEEN = {
  works: [LIST],
  measures: { cpu: { atMost: 1.2 } },
  generations: 3,
  rounds: 15,
} as const
/** The tokens of one measurement. */
const NEVER_SEEN = 256
const EXPECTED = { issuer: ISSUER, audience: AUDIENCE }

/** The CPU of a list of 10 with JWTs. */
export const jwt: Section = {
  name: 'jwt',
  about: 'list 10 with JWTs: CPU',
  async run(log) {
    const rows: Row[] = []
    for (const alg of ALGORITHMS) {
      const sides = [node('plant-store', `jwt#${alg}`), node('static token', 'jwt')] as const
      rows.push(...(await duel(SEEN, [`over HTTP with a JWT (${alg}) seen before`, ...sides], log)))
    }
    for (const alg of ALGORITHMS) rows.push(await neverSeenRow(alg))
    return rows
  },
}

/** Lists with tokens never seen, with the plant store and with jose alone, without HTTP. */
async function neverSeenRow(alg: string): Promise<Row> {
  const { createPlantStore } = await importBuilt('src/index.ts')
  const { jwtVerifier } = await importBuilt('src/auth/jwt.ts')
  const { staticTokens } = await importBuilt('src/auth/tokens.ts')
  const storage = mapStorage()
  await addPlants(storage, 'reader', 100)
  const signer = await makeKey(alg, 'k')
  const jwks = { keys: [signer.jwk] }
  const store = createPlantStore(storage, jwtVerifier({ jwks, ...EXPECTED }))
  const withStaticToken = createPlantStore(storage, staticTokens({ static: 'reader' }))
  const keyOfJose = createLocalJWKSet(jwks)

  let made = 0
  const newToken = () => sign(signer, { sub: 'reader', jti: `${made++}` })
  const newTokens = () => Promise.all(Array.from({ length: NEVER_SEEN }, newToken))
  const costs = await takeTurns(
    { warmUp: 20, rounds: 30 },
    {
      async own() {
        return cpuOfCalls((await newTokens()).map(listWith), store.fetch)
      },
      async jose() {
        const requests = (await newTokens()).map((token) => ({ token, list: listWith('static') }))
        return cpuOfCalls(requests, async ({ token, list }) => {
          await jwtVerify(token, keyOfJose as any, EXPECTED)
          return withStaticToken.fetch(list)
        })
      },
    },
  )
  const row = { work: `list 10 with JWTs (${alg}) never seen`, subject: 'plant-store, CPU' }
  return ratioRow({ ...row, unit: '× jose', atMost: 1.1 }, costs.own, costs.jose, 'µs')
}

const listWith = (token: string) =>
  new Request('http://localhost/plants?limit=10', { headers: { authorization: `Bearer ${token}` } })
