import { type AuthVerifier, type Caller, isOwner, type Scope } from '../auth-verifier.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { kindOf } from '../lib/arguments.ts'
import { type MaybePromise, toPromise } from '../lib/promises.ts'
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
  function ask<T>(context: LazyContext, identify: () => MaybePromise<T>): MaybePromise<T> {
    try {
      const result = context.limit(toPromise(identify()), timeoutMs)
      return result instanceof Promise ? result.catch(failVerification) : result
    } catch (error) {
      return failVerification(error)
    }
  }
  return async (exchange, scope) => {
    const { request } = exchange
    const caller = request.caller
      ? await callerOfHost(exchange, request.caller)
      : await callerOfToken(exchange)
    exchange.owner = caller.owner
    assertScope(caller, scope)
    return caller.owner
  }

  async function callerOfHost(
    { request, context }: Exchange,
    identify: NonNullable<IncomingRequest['caller']>,
  ): Promise<Caller> {
    const caller = await waitFor(
      request,
      ask(context, () => identify()),
    )
    if (caller === null || caller === undefined) {
      const message = 'Sign in first.'
      throw new Failure('missing_token', { message, headers: { 'www-authenticate': CHALLENGE } })
    }
    return checkCaller(caller, 'caller must be { owner } or nothing')
  }

  async function callerOfToken({ request, context }: Exchange): Promise<Caller> {
    const token = bearerToken(request.headers)
    if (token === undefined) {
      throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
    }
    const result = await waitFor(
      request,
      ask(context, () => verify(token, context)),
    )
    // An app prints it, and a token that is refused here may be good elsewhere.
    if (context.reason !== undefined) context.reason = redact(context.reason, token)
    if (result === null) {
      throw new Failure('invalid_token', { headers: challenge('error="invalid_token"') })
    }
    return checkCaller(result, 'The verifier must return null or { owner }')
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

/**
 * Checks who the caller is, as a verifier or the host app says.
 *
 * @param expectation the beginning of the message
 * @throws TypeError that says what is wrong with it
 */
export function checkCaller(value: unknown, expectation: string): Caller {
  // Read once, so that the checked value is the one that is used.
  const { owner, scopes, scope } = Object(value) as Caller & { scope?: unknown }
  if (!isOwner(owner)) {
    const got = owner === undefined ? `${kindOf(value)} without owner` : `owner: ${kindOf(owner)}`
    throw new TypeError(
      `${expectation}, with a non-empty owner without U+0000 or a lone surrogate; got ${got}`,
    )
  }
  // Without scopes, the caller would be granted everything.
  if (scopes === undefined ? scope !== undefined : !Array.isArray(scopes)) {
    const got = scopes === undefined ? 'scope' : kindOf(scopes)
    throw new TypeError(`${expectation}, with an array of granted scopes as scopes; got ${got}`)
  }
  return { owner, scopes }
}

function challenge(attributes: string): Record<string, string> {
  return { 'www-authenticate': `${CHALLENGE}, ${attributes}` }
}
