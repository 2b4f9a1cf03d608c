import type { RequestContext } from '../request-context.ts'
import { bearerToken } from './bearer.ts'

const MAX_CAUSES = 5

/**
 * The `onError` of those who have none. Stacks and codes alone are printed, since the other properties
 * of an HTTP client's or a driver's error may hold headers and parameters; and a token that is part
 * of a message is left out.
 */
export function logError(error: unknown, context: RequestContext): void {
  const token = bearerToken(context.request.headers)
  const text = describe(error, MAX_CAUSES)
  console.error(token === undefined ? text : withoutToken(text, token))
}

/** Leaves the token out as it is, as URLs have it and as forms have it. */
function withoutToken(text: string, token: string): string {
  const inForm = new URLSearchParams({ '': token }).toString().slice(1)
  return [token, encodeURIComponent(token), inForm].reduce(
    (rest, written) => rest.replaceAll(written, '[token]'),
    text,
  )
}

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error)
  const { stack, code, errors, cause } = error as Error & { code?: unknown; errors?: unknown }
  // Not only AggregateErrors have errors, and those of others need be no list.
  const causes = [...(Array.isArray(errors) ? errors : []), cause].filter(
    (inner) => inner !== undefined,
  )
  return [
    stack ?? String(error),
    ...(typeof code === 'string' ? [`code: ${code}`] : []),
    ...(depth > 0 ? causes.map((inner) => `caused by: ${describe(inner, depth - 1)}`) : []),
  ].join('\n')
}
