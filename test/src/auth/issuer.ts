import type { ServerResponse } from 'node:http'
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { expect } from 'vitest'
import type { VerifierContext } from '../../../src/request-context.ts'
import { listen } from '../../shared/listen.ts'

export const ISSUER = 'https://login.example/'
export const AUDIENCE = 'https://plants.example'

export const now = () => Math.floor(Date.now() / 1000)

/** An issuer's key pair. */
export type SigningKey = Awaited<ReturnType<typeof makeKey>>

export async function makeKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid }
  return { alg, kid, privateKey, publicKey, jwk, pem: await exportSPKI(publicKey) }
}

/** Signs the claims of a good token, with some of them replaced (`undefined` removes one). */
export function sign(
  { alg, kid, privateKey }: SigningKey | { alg: string; kid: string; privateKey: Uint8Array },
  claims: JWTPayload = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT({ ...goodClaims(), ...claims })
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey)
}

export function goodClaims() {
  return { sub: 'alice', iss: ISSUER, aud: AUDIENCE, iat: now(), exp: now() + 600 }
}

/** Why a verifier refuses a token; undefined if it doesn't. */
export async function refusalOf(
  verify: (token: string, context: Partial<VerifierContext>) => unknown,
  token: string,
): Promise<string | undefined> {
  let why: string | undefined
  const refuse = (reason: string) => {
    why = reason
    return null
  }
  expect((await verify(token, { refuse })) === null).toBe(why !== undefined)
  return why
}

/** Starts a server that publishes a key set. A test may replace its response. */
export async function startKeyServer(keys: SigningKey[]) {
  const jwks: JSONWebKeySet = { keys: keys.map(({ jwk }) => jwk) }
  const state = {
    jwks,
    requests: 0,
    answer: (response: ServerResponse) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(state.jwks))
    },
  }
  const server = await listen((_, response) => {
    state.requests++
    state.answer(response)
  })
  return Object.assign(state, { url: `${server.url}/jwks.json`, close: server.close })
}
