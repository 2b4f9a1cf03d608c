import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { createPlantStore } from 'plant-store'
import { jwtVerifier } from 'plant-store/auth/jwt'
import { memoryStorage } from 'plant-store/storage/memory'

const issuer = 'https://login.example'
const audience = 'https://garden.example'
let pair
let provider

before(async () => {
  pair = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] }
  provider = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
})

after(() => provider.close())

/** The statuses of a list with a valid token, an expired one and one of another audience. */
async function statuses(keys) {
  const store = createPlantStore(memoryStorage(), jwtVerifier({ ...keys, issuer, audience }))
  const list = async (token) => {
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await store.fetch(new Request('http://localhost/plants', { headers }))
    return status
  }
  return [
    await list(await sign({})),
    await list(await sign({ exp: 1 })),
    await list(await sign({ aud: 'https://other.example' })),
  ]
}

function sign(claims) {
  const exp = Math.trunc(Date.now() / 1000) + 60
  return new SignJWT({ iss: issuer, aud: audience, sub: 'alice', exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(pair.privateKey)
}

describe('jwtVerifier', () => {
  it('verifies with the keys of a URL', async () => {
    const jwks = `http://127.0.0.1:${provider.address().port}/jwks`
    assert.deepEqual(await statuses({ jwks }), [200, 401, 401])
  })

  it('verifies with a PEM', async () => {
    assert.deepEqual(
      await statuses({ publicKey: await exportSPKI(pair.publicKey) }),
      [200, 401, 401],
    )
  })

  it('verifies with a JWK', async () => {
    assert.deepEqual(
      await statuses({ publicKey: await exportJWK(pair.publicKey) }),
      [200, 401, 401],
    )
  })
})
