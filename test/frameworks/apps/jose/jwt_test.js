import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { createPlantStore } from 'plant-store'
import { jwtVerifier } from 'plant-store/auth/jwt'
import { memoryStorage } from 'plant-store/storage/memory'

const issuer = 'https://login.example'
const audience = 'https://garden.example'
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(publicKey)

function sign(claims) {
  const exp = Math.trunc(Date.now() / 1000) + 60
  return new SignJWT({ iss: issuer, aud: audience, sub: 'alice', exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(privateKey)
}

/** Checks the statuses of a list with a valid token, an expired one and one of another audience. */
async function check(keys) {
  const store = createPlantStore(memoryStorage(), jwtVerifier({ ...keys, issuer, audience }))
  const statuses = []
  for (const claims of [{}, { exp: 1 }, { aud: 'https://other.example' }]) {
    const headers = { authorization: `Bearer ${await sign(claims)}` }
    statuses.push((await store.fetch(new Request('http://localhost/plants', { headers }))).status)
  }
  assert.deepEqual(statuses, [200, 401, 401])
}

it('verifies with the keys of a URL', async () => {
  const keys = JSON.stringify({ keys: [{ ...jwk, kid: 'k1', alg: 'ES256' }] })
  const provider = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(keys)
  })
  await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve))
  await check({ jwks: `http://127.0.0.1:${provider.address().port}/jwks` })
  provider.close()
})

it('verifies with a PEM', async () => check({ publicKey: await exportSPKI(publicKey) }))
it('verifies with a JWK', () => check({ publicKey: jwk }))
