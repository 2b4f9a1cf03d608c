import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { makeKey, sign } from '../src/auth/issuer.ts'
import { askWith } from './ask.ts'

const key = await makeKey('ES256', 'key')

const importFile = guideFiles('docs/sign-in/proof-of-possession.md', (code) =>
  code
    .replace('createHash, type KeyObject', 'createHash, createPublicKey')
    .replace(
      'declare const publicKey: KeyObject',
      `const publicKey = createPublicKey(\`${key.pem}\`)`,
    )
    .replace('const verify', 'export const verify'),
)
const { verify } = await importFile('mutual-tls.mts')
const ask = askWith(verify)

const der = randomBytes(700)
const clientCert = (bytes: Buffer) => ({ 'client-cert': `:${bytes.toString('base64')}:` })
const bound = { cnf: { 'x5t#S256': createHash('sha256').update(der).digest('base64url') } }

describe('mutual TLS', () => {
  it('lets in who has the certificate that the token is bound to', async () => {
    expect(await ask(await sign(key, bound), clientCert(der))).toBe(200)
  })

  it('lets nobody in with a stolen token', async () => {
    const token = await sign(key, bound)
    expect(await ask(token)).toBe(401)
    expect(await ask(token, clientCert(randomBytes(700)))).toBe(401)
    expect(await ask(token, { 'client-cert': '::' })).toBe(401)
    expect(await ask(await sign(key), clientCert(der))).toBe(401)
    expect(await ask(await sign(key, { cnf: {} }), clientCert(der))).toBe(401)
    expect(await ask(await sign(await makeKey('ES256', 'key'), bound), clientCert(der))).toBe(401)
  })
})
