import { type AuthVerifier, type Caller, isOwner, type Scope } from '../auth-verifier.ts'
import { kindOf } from '../lib/kind-of.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { toPromise } from '../lib/thenables.ts'
import { bearerToken } from './bearer.ts'
import { waitFor } from './client-gone.ts'
import type { Exchange, LazyContext } from './exchange.ts'
import { Failure, toFailure } from './failure.ts'
import { redact } from './redact.ts'

const CHALLENGE = 'Bearer realm="plants"'

/** Resolves to the owner whose plants the token opens, or throws a 401, 403, 429 or 503 Failure. */
export type Authenticate = (exchange: Exchange, scope: Scope) => Promise<string>

/** Creates the function that authenticates the caller of a request. */
export function createAuthenticate(verify: AuthVerifier, timeoutMs: number): Authenticate {
  function ask(token: string, context: LazyContext): MaybePromise<Caller | null> {
    try {
      const result = context.limit(toPromise(verify(token, context)), timeoutMs)
      return result instanceof Promise ? result.catch(failVerification) : result
    } catch (error) {
      return failVerification(error)
    }
  }
  return async (exchange, scope) => {
    const { request, context } = exchange
    const token = bearerToken(request.headers)
    if (token === undefined) {
      throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
    }
    const result = await waitFor(request, ask(token, context))
    // An app prints it, and a token that is refused here may be good elsewhere.
    if (context.reason !== undefined) context.reason = redact(context.reason, token)
    const caller = toCaller(result)
    exchange.owner = caller.owner
    assertScope(caller, scope)
    return caller.owner
  }
}

/** Never 401: a verifier that throws can't tell whether the token is valid. */
function failVerification(cause: unknown): never {
  const failure = toFailure(cause)
  const isKnown = ['timeout', 'rate_limited', 'overloaded'].includes(failure.name)
  throw isKnown ? failure : new Failure('auth_unavailable', { cause })
}

function assertScope({ scopes }: Caller, scope: Scope): void {
  if (scopes === undefined || scopes.includes(scope)) return
  throw new Failure('insufficient_scope', {
    headers: challenge(`error="insufficient_scope", scope="${scope}"`),
  })
}

function toCaller(result: Caller | null): Caller {
  if (result === null) {
    throw new Failure('invalid_token', { headers: challenge('error="invalid_token"') })
  }
  // Read once, so that the checked value is the one that is used.
  const { owner, scopes, scope } = Object(result) as Caller & { scope?: unknown }
  if (!isOwner(owner)) {
    const got = owner === undefined ? `${kindOf(result)} without owner` : `owner: ${kindOf(owner)}`
    throw new TypeError(
      `The verifier must return null or { owner }, with a non-empty owner without U+0000 or a lone surrogate; got ${got}`,
    )
  }
  // Without scopes, the caller would be granted everything.
  if (scopes === undefined ? scope !== undefined : !Array.isArray(scopes)) {
    const got = scopes === undefined ? 'scope' : kindOf(scopes)
    throw new TypeError(`The verifier must return an array of granted scopes as scopes; got ${got}`)
  }
  return { owner, scopes }
}

function challenge(attributes: string): Record<string, string> {
  return { 'www-authenticate': `${CHALLENGE}, ${attributes}` }
}
