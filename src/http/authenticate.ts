import type { AuthVerifier, Caller, Scope } from '../auth-verifier.ts'
import { isOwner } from '../caller.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { type MaybePromise, settle } from '../maybe-promise.ts'
import { Failure } from './failure.ts'
import { TimeoutError, withTimeout } from './time-limit.ts'

// RFC 6750, section 2.1 with the token68 of RFC 9110, section 11.2; a scheme has no case.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const CHALLENGE = 'Bearer realm="plants"'

/** The token of the request, where it brings one as it should. */
export function bearerToken(headers: IncomingRequest['headers']): string | undefined {
  return BEARER.exec(headers.get('authorization') ?? '')?.[1]
}

/** Finds out whose plants are called for and that the scope is granted, or fails with the 401, 403 or 503 there is. */
export function authenticate(
  request: IncomingRequest,
  verify: AuthVerifier,
  scope: Scope,
  timeoutMs: number,
): MaybePromise<string> {
  const token = bearerToken(request.headers)
  if (token === undefined) {
    throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
  }

  const start = performance.now()
  // Most verifiers look at the token alone: they are spared the building of a Request.
  const call = () =>
    verify.length === 1
      ? (verify as (token: string) => ReturnType<AuthVerifier>)(token)
      : verify(token, request.toRequest())

  return settle(
    () => withTimeout(call(), timeoutMs),
    (caller) => {
      // No timer fires while the verifier blocks the thread.
      if (performance.now() - start <= timeoutMs) return ownerOf(caller, scope)
      return refuse(new TimeoutError('The answer came too late'))
    },
    refuse,
  )
}

function refuse(cause: unknown): never {
  throw new Failure(cause instanceof TimeoutError ? 'timeout' : 'auth_unavailable', { cause })
}

function ownerOf(caller: Caller | null, scope: Scope): string {
  if (caller == null) {
    throw new Failure('invalid_token', { headers: challenge('error="invalid_token"') })
  }
  // Read once, so that what has been checked is what is used.
  const { owner, scopes } = caller
  if (!isOwner(owner) || !(scopes === undefined || Array.isArray(scopes))) {
    throw new TypeError('The verifier answered with neither null nor a Caller with an owner')
  }
  if (scopes && !scopes.includes(scope)) {
    throw new Failure('insufficient_scope', {
      headers: challenge(`error="insufficient_scope", scope="${scope}"`),
    })
  }
  return owner
}

function challenge(attributes: string): Record<string, string> {
  return { 'www-authenticate': `${CHALLENGE}, ${attributes}` }
}
