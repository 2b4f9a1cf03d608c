import type { AuthVerifier, Caller, Scope } from './auth-verifier.ts'
import { Failure } from './failure.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { storableText } from './plant.ts'
import { TimeoutError, withTimeout } from './timeout.ts'

// RFC 6750, section 2.1 with the token68 of RFC 9110, section 11.2; a scheme has no case.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const CHALLENGE = 'Bearer realm="plants"'

/** Finds out who is calling and that the scope is granted, or throws the 401, 403 or 503 there is. */
export async function authenticate(
  request: IncomingRequest,
  verify: AuthVerifier,
  scope: Scope,
  timeoutMs: number,
): Promise<Caller> {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) {
    throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
  }
  const caller = await callVerifier(request, token, verify, timeoutMs)
  if (caller == null) {
    throw new Failure('invalid_token', { headers: challenge('error="invalid_token"') })
  }
  if (!isCaller(caller)) {
    throw new TypeError('The verifier answered with neither null nor a Caller with an owner')
  }
  if (caller.scopes && !caller.scopes.includes(scope)) {
    throw new Failure('insufficient_scope', {
      headers: challenge(`error="insufficient_scope", scope="${scope}"`),
    })
  }
  return caller
}

async function callVerifier(
  request: IncomingRequest,
  token: string,
  verify: AuthVerifier,
  timeoutMs: number,
): Promise<Caller | null> {
  try {
    // Most verifiers look at the token alone: they are spared the building of a Request.
    const answer =
      verify.length === 1
        ? (verify as (token: string) => ReturnType<AuthVerifier>)(token)
        : verify(token, request.toRequest())
    return await withTimeout(answer, timeoutMs)
  } catch (cause) {
    throw new Failure(cause instanceof TimeoutError ? 'timeout' : 'auth_unavailable', { cause })
  }
}

function challenge(attributes: string): Record<string, string> {
  return { 'www-authenticate': `${CHALLENGE}, ${attributes}` }
}

function isCaller({ owner, scopes }: Caller): boolean {
  return (
    typeof owner === 'string' &&
    owner !== '' &&
    storableText.test(owner) &&
    (scopes === undefined || Array.isArray(scopes))
  )
}
