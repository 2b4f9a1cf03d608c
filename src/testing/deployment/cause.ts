import { type Answer, parseJson } from '../adapter/exchange.ts'
import { isOfStore } from '../adapter/rule.ts'
import type { Evidence } from '../adapter/show-exchange.ts'

/** A failure of a rule, with what was sent and what came, where that is known. */
export interface RuleFailure extends Partial<Evidence> {
  readonly rule: string
  readonly message: string
}

interface Cause {
  /** The rules that it is the cause for. Default: any. */
  readonly rules?: readonly string[]
  readonly isLikely: (failure: RuleFailure, answer: Answer) => boolean
  readonly says: string | ((failure: RuleFailure, answer: Answer) => string)
}

const NO_ANSWER: Answer = { status: 0, headers: new Map(), text: '', isComplete: false }
const CACHE_HEADERS = ['age', 'x-cache', 'x-cache-status', 'cf-cache-status', 'x-varnish']
const ORDINARY = /^[\w/?=&.-]*$/

/** The causes by what a failure shows. The first one that is likely counts. */
const causes: readonly Cause[] = [
  {
    isLikely: ({ message }) =>
      /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT/.test(message),
    says: 'nothing answers at this URL: check its host and port',
  },
  {
    isLikely: ({ message }) => /certificate|CERT_|SSL|self-signed/i.test(message),
    says: 'the TLS certificate is not right for this URL',
  },
  {
    isLikely: (failure, answer) => errorNumber(answer) === 40101 && sentAToken(failure),
    says: 'something on the way strips the Authorization header',
  },
  {
    isLikely: ({ problem = '' }, answer) =>
      /^The header (cache-control|x-content-type-options) is/.test(problem) &&
      looksLikeStore(answer),
    says: 'a proxy drops or replaces headers of the response, such as Cache-Control',
  },
  {
    rules: ['reachable'],
    isLikely: (_, answer) => errorNumber(answer) === 40102,
    says: 'the store does not know the token, or something on the way replaces it',
  },
  {
    rules: ['reachable'],
    isLikely: (_, answer) => answer.status === 404,
    says: 'the URL is not where the paths of the store begin: check the mount path',
  },
  {
    isLikely: (_, answer) => answer.status === 413 && !isOfStore(answer),
    says: 'a proxy answers 413 itself: raise its limit of the body above maxBodyBytes, such as client_max_body_size of nginx',
  },
  {
    isLikely: (_, answer) => answer.status === 429,
    says: 'a rate limit refuses the requests of this check',
  },
  {
    isLikely: (_, answer) => [502, 503, 504].includes(answer.status) && !isOfStore(answer),
    says: (_, answer) => `a proxy can't reach the store, or gives up on it${proxyNames(answer)}`,
  },
  {
    isLikely: (_, { headers }) => headers.has('content-encoding'),
    says: 'something on the way compresses responses, although the client has not asked for it',
  },
  {
    isLikely: (_, { status }) => status >= 300 && status < 400,
    says: ({ request }, answer) =>
      `something in front of the store redirects ${request?.path}${proxyNames(answer)}`,
  },
  {
    isLikely: ({ request }, answer) =>
      request?.method === 'OPTIONS' && answer.status !== 0 && !isOfStore(answer),
    says: 'something in front of the store answers OPTIONS itself, such as a CORS setting of a gateway',
  },
  {
    rules: ['link'],
    isLikely: ({ request }) => request !== undefined,
    says: 'a proxy rewrites or drops the Link header, whose target must stay as it is: <?limit=…&cursor=…>',
  },
  {
    rules: ['other-paths', 'mount-path'],
    isLikely: ({ request }) => /\/\//.test(request?.path ?? ''),
    says: 'a proxy joins slashes (//) before the store sees the path, such as merge_slashes of nginx',
  },
  {
    rules: ['id-in-path', 'other-paths'],
    isLikely: ({ request }) => /%2F/i.test(request?.path ?? ''),
    says: 'a proxy decodes %2F in the path to a slash, such as proxy_pass of nginx with a path',
  },
  {
    rules: ['id-in-path', 'malformed-percent-encoding', 'other-paths', 'mount-path', 'list-query'],
    isLikely: ({ request }) => !ORDINARY.test(request?.path ?? ''),
    says: 'a proxy decodes or normalizes the path or the query before the store sees it',
  },
  {
    rules: ['other-paths'],
    isLikely: (_, answer) => isOfStore(answer),
    says: 'a proxy normalizes the path before the store sees it',
  },
  {
    rules: ['long-list'],
    isLikely: ({ problem = '' }) => problem.startsWith('The response breaks'),
    says: 'a proxy cuts long responses by a limit of size or time',
  },
  {
    rules: ['long-list'],
    isLikely: ({ problem = '' }) => problem.startsWith('The list was not streamed'),
    says: 'a proxy or the platform buffers the whole response before it sends it on, such as a function behind a gateway',
  },
  {
    rules: ['long-list'],
    isLikely: (_, { status }) => status === 200,
    says: 'a proxy truncates a long response without a sign: it ends as if it were complete',
  },
  {
    isLikely: ({ request }, { headers }) =>
      request?.method === 'GET' && CACHE_HEADERS.some((name) => headers.has(name)),
    says: 'a cache on the way answers in place of the store: exclude these paths from it',
  },
  {
    rules: ['isolation'],
    isLikely: (_, answer) => errorNumber(answer) === 40003,
    says: 'both tokens open the plants of one owner',
  },
  {
    rules: ['isolation'],
    isLikely: ({ request }) => request !== undefined,
    says: 'a cache on the way answers without regard to the token, or both tokens open the plants of one owner',
  },
  {
    isLikely: ({ request, problem = '' }) =>
      request?.method === 'GET' &&
      /^The (body must be \[|status is 200, expected 401)/.test(problem),
    says: 'a cache on the way answers in place of the store, or several servers answer that do not share their data',
  },
  {
    rules: ['removal'],
    isLikely: () => true,
    says: (_, answer) => `something refuses DELETE${proxyNames(answer)}`,
  },
  {
    rules: ['token'],
    isLikely: ({ problem = '' }) => problem.includes('www-authenticate'),
    says: 'a proxy or gateway drops or renames the WWW-Authenticate header',
  },
  {
    isLikely: (_, answer) => answer.status !== 0 && !isOfStore(answer),
    says: (_, answer) => `something in front of the store has answered itself${proxyNames(answer)}`,
  },
  {
    isLikely: ({ message }) => message.includes('did not come within'),
    says: 'a proxy waits for something that the client does not send, or the store does not answer in time',
  },
]

/** Names what on the way to the store is likely the cause of a failure. `undefined` if nothing tells. */
export function causeOf(failure: RuleFailure): string | undefined {
  const answer = failure.answer ?? NO_ANSWER
  const cause = causes.find(
    ({ rules, isLikely }) => (!rules || rules.includes(failure.rule)) && isLikely(failure, answer),
  )
  return typeof cause?.says === 'function' ? cause.says(failure, answer) : cause?.says
}

function sentAToken({ request }: RuleFailure): boolean {
  return typeof request?.token === 'string' && /^([^ ]+|bearer +[^ ]+)$/i.test(request.token)
}

function errorNumber({ text }: Answer): number | undefined {
  return Object(parseJson(text)).error
}

/** Whether the body is one of the store, or a header of each of its responses has come through. */
function looksLikeStore({ headers, text }: Answer): boolean {
  const json = parseJson(text)
  const { name, error } = Object(json)
  if (Array.isArray(json) || typeof name === 'string' || typeof error === 'number') return true
  return (
    headers.get('x-content-type-options') === 'nosniff' ||
    headers.get('cache-control') === 'no-store'
  )
}

/** The names that a proxy gives itself. */
function proxyNames({ headers }: Answer): string {
  const names = ['server', 'via', 'x-powered-by'].flatMap((name) => headers.get(name) ?? [])
  return names.length > 0 ? ` (it calls itself ${names.join(', ')})` : ''
}
