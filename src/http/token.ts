import { type AuthVerifier, type Caller, checkCaller, type Scope } from '../auth-verifier.ts'
import { Failure, toFailure } from '../errors.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { isPromiseLike, type MaybePromise } from '../lib/promises.ts'
import { TOKEN68 } from '../lib/text.ts'
import { assertConnected, type Exchange, watchConnection } from './context.ts'

const CHALLENGE = 'Bearer realm="plants"'

/**
 * Creates the function that authenticates the caller of a request. It resolves to the owner of the plants that the request is
 * about, or throws a 401, 403, 429 or 503 Failure.
 */
export function createAuthenticate(verify: AuthVerifier, timeoutMs: number) {
  return async (exchange: Exchange, scope: Scope): Promise<string> => {
    const { request, context, caller: callerOfHost } = exchange
    const token = callerOfHost ? undefined : readToken(request)
    let result: MaybePromise<unknown>
    try {
      result = callerOfHost ? callerOfHost() : verify(token!, context)
      if (isPromiseLike(result)) {
        watchConnection(request)
        result = await context.limit(Promise.resolve(result), timeoutMs)
        assertConnected(request)
      }
    } catch (cause) {
      throw toVerificationFailure(cause)
    }
    const caller = callerOfHost ? toSignedIn(result) : toVerified(result, token!, exchange)
    exchange.owner = caller.owner
    assertScope(exchange, caller, scope)
    return caller.owner
  }
}

function readToken({ headers }: IncomingRequest): string {
  const token = bearerToken(headers)
  if (token !== undefined) return token
  throw new Failure('missing_token', { headers: { 'www-authenticate': CHALLENGE } })
}

/** Never 401: what throws can't tell whether the caller may pass. */
function toVerificationFailure(cause: unknown): unknown {
  const failure = toFailure(cause)
  const isKnown = ['timeout', 'rate_limited', 'overloaded'].includes(failure.name)
  return isKnown ? failure : new Failure('auth_unavailable', { cause })
}

function toSignedIn(caller: unknown): Caller {
  if (caller) return checkCaller(caller, 'caller must return { owner } or nothing')
  const headers = { 'www-authenticate': CHALLENGE }
  throw new Failure('missing_token', { message: 'Sign in first.', headers })
}

function toVerified(caller: unknown, token: string, { context }: Exchange): Caller {
  if (caller !== null) return checkCaller(caller, 'The verifier must return null or { owner }')
  // Redacted, since apps log the reason, and another service may accept the token.
  if (context.reason !== undefined) context.reason = redact(context.reason, token)
  throw new Failure('invalid_token', { headers: challenge('error="invalid_token"') })
}

/** Schemes are case-insensitive (RFC 9110, section 11.1), and RFC 6750, section 2.1, allows several spaces. */
const CREDENTIALS = /^Bearer +(\S+)$/i

/** Reads the bearer token from the Authorization header. Returns undefined if it is missing or malformed. */
export function bearerToken(headers: { get(name: string): string | null }): string | undefined {
  const token = CREDENTIALS.exec(headers.get('authorization') ?? '')?.[1] ?? ''
  return TOKEN68.test(token) ? token : undefined
}

/** A shorter token would be found in words. */
const MIN_TOKEN_LENGTH = 8

/** Replaces the request's token with `[token]`, also as it stands in a URL. */
export function redact(text: string, token: string | undefined): string {
  if (token === undefined || token.length < MIN_TOKEN_LENGTH) return text
  return text.split(token).join('[token]').split(encodeURIComponent(token)).join('[token]')
}

function assertScope({ context, caller }: Exchange, { scopes }: Caller, scope: Scope): void {
  if (scopes === undefined || scopes.includes(scope)) return
  context.reason = `it lacks the scope ${scope}; it has ${scopes.join(' ') || 'none'}`
  const problem = caller ? 'The caller lacks the scope' : 'The token lacks the scope'
  throw new Failure('insufficient_scope', {
    message: `${problem} ${scope}.`,
    headers: challenge(`error="insufficient_scope", scope="${scope}"`),
  })
}

function challenge(attributes: string): Record<string, string> {
  return { 'www-authenticate': `${CHALLENGE}, ${attributes}` }
}
