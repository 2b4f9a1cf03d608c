import { type AuthVerifier, type Caller, isOwner, type Scope } from '../auth-verifier.ts'
import { kindOf } from '../lib/kind-of.ts'
import { bearerToken } from './bearer.ts'
import type { Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { type CalleeOptions, createGuard } from './guard.ts'

const CHALLENGE = 'Bearer realm="plants"'

/** Resolves to the owner whose plants the token opens, or throws a 401, 403, 429 or 503 Failure. */
export type Authenticate = (exchange: Exchange, scope: Scope) => Promise<string>

/** Creates the function that authenticates the caller of a request. */
export function createAuthenticate(verify: AuthVerifier, options: CalleeOptions): Authenticate {
  const guard = createGuard({
    ...options,
    callee: 'verifier',
    toFailure: (cause) => new Failure('auth_unavailable', { cause }),
  })
  return (exchange, scope) => {
    const token = bearerToken(exchange.request.headers)
    if (token === undefined) {
      throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
    }
    function check(result: Caller | null): string {
      const caller = toCaller(result)
      exchange.owner = caller.owner
      assertScope(caller, scope)
      return caller.owner
    }
    return guard(exchange, () => verify(token, exchange.context), check)
  }
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
