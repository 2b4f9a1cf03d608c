import type { AuthVerifier } from 'plant-store'
import { jwtVerifier } from 'plant-store/auth/jwt'
import { staticTokens } from 'plant-store/auth/tokens'

function firstOf(...verifiers: AuthVerifier[]): AuthVerifier {
  return async (token, context) => {
    for (const verify of verifiers) {
      const caller = await verify(token, context)
      if (caller) return caller
    }
    return null
  }
}

export const verify = firstOf(
  staticTokens({ [process.env.JOB_TOKEN!]: 'job:nightly' }),
  jwtVerifier({
    jwks: 'https://login.example/.well-known/jwks.json',
    issuer: 'https://login.example/',
    audience: 'https://plants.example',
    owner: ({ sub }) => (typeof sub === 'string' ? `user:${sub}` : null),
  }),
)
