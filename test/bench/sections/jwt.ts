import { createLocalJWKSet, jwtVerify } from 'jose'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from '../../src/auth/issuer.ts'
import { duel, LIST } from '../compare.ts'
import { type Row, ratioInTurn, rowsOf } from '../figures.ts'
import { filledStorage } from '../filled-storage.ts'
import { node } from '../servers.ts'

/** As many calls at once as a busy server has: one measurement, each with a new token. */
const AT_ONCE = 64
const EXPECTED = { issuer: ISSUER, audience: AUDIENCE }

/** The CPU of a list of 10 with JWTs. */
export const jwt = () =>
  rowsOf(['RS256', 'ES256', 'EdDSA'], async (alg) => [
    ...(await duel({
      where: `over HTTP with a JWT (${alg}) seen before`,
      own: node('plant-store', 'plant-store#serve', 'memory:5001', alg),
      other: node('static token', 'plant-store#serve', 'memory:5001', 'static'),
      works: [LIST],
      measures: { cpu: { atMost: 1.2 } },
    })),
    await neverSeenRow(alg),
  ])

/** Lists with tokens never seen, with the plant store and with jose alone, without HTTP. */
async function neverSeenRow(alg: string): Promise<Row> {
  const storage = filledStorage(100)
  const signer = await makeKey(alg, 'k')
  const jwks = { keys: [signer.jwk] }
  const store = createPlantStore(storage, jwtVerifier({ jwks, ...EXPECTED }))
  const withStaticToken = createPlantStore(storage, staticTokens({ static: 'reader' }))
  const keyOfJose = createLocalJWKSet(jwks)

  let made = 0
  async function newCall() {
    const token = await sign(signer, { sub: 'reader', jti: `${made++}` })
    return { token, list: listWith(token), listWithStatic: listWith('static') }
  }
  type Call = Awaited<ReturnType<typeof newCall>>
  const cpuOf = (call: (input: Call) => unknown) => async () => {
    const inputs = await Promise.all(Array.from({ length: AT_ONCE }, newCall))
    const begin = process.cpuUsage()
    await Promise.all(inputs.map(call))
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / AT_ONCE
  }
  const own = cpuOf(({ list }) => store.fetch(list))
  const jose = cpuOf(async ({ token, listWithStatic }) => {
    await jwtVerify(token, keyOfJose as any, EXPECTED)
    return withStaticToken.fetch(listWithStatic)
  })
  const row = { work: `list 10 with JWTs (${alg}) never seen`, subject: 'plant-store, CPU' }
  const compared = { ...row, unit: '× jose', atMost: 1.1 }
  return ratioInTurn(compared, 'µs', { warmUp: 80, rounds: 120 }, [own, jose])
}

const listWith = (token: string) =>
  new Request('http://localhost/plants?limit=10', { headers: { authorization: `Bearer ${token}` } })
