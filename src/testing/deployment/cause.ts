import { type Answer, type Evidence, parseJson, type TestRequest } from '../adapter/exchange.ts'
import { isOfStore } from '../adapter/rule.ts'

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

const NO_ANSWER: Answer = { status: 0, headers: new Map(), text: '', isComplete: true }
const CACHE_HEADERS = ['age', 'x-cache', 'x-cache-status', 'cf-cache-status', 'x-varnish']
/** Statuses that the store never has for what the rules send, or that a gateway has for its own reasons. */
const REFUSALS = [403, 406, 407, 411, 414, 431, 451, 501]
const ORDINARY_PATH = /^[\w/?=&.-]*$/
/** The problem if plants stay although each id that was sent has been deleted. */
export const STRAY = 'Plants of this check are listed after their ids were deleted'
const REWRITTEN = 'parses the JSON of requests and writes it again, which rounds ids'
const WRONG_HEADER = /^The header ([\w-]+) is/

/** The causes by what a failure shows. The first one that is likely counts. */
const causes: readonly Cause[] = [
  // The connection.
  {
    isLikely: ({ message }) =>
      /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT/.test(message),
    says: 'nothing answers at this URL: check its host and port',
  },
  {
    isLikely: ({ message }) => /wrong version number|packet length too long/i.test(message),
    says: 'the server does not speak TLS at this port: does the URL begin with http: instead?',
  },
  {
    isLikely: ({ message }) => /certificate|CERT_|SSL|self-signed/i.test(message),
    says: 'the TLS certificate is not right for this URL',
  },

  // The way to the store.
  {
    isLikely: (failure, answer) => errorNumber(answer) === 40101 && sentAToken(failure),
    says: 'something on the way strips the Authorization header',
  },
  {
    rules: ['reachable'],
    isLikely: (_, answer) => errorNumber(answer) === 40102,
    says: 'the store does not know the token, or something on the way replaces it',
  },
  {
    rules: ['reachable'],
    isLikely: ({ request }, { status }) => request?.method === 'GET' && [404, 405].includes(status),
    says: 'the URL is not where the paths of the store begin: check the mount path',
  },
  {
    isLikely: ({ request }, answer) =>
      errorNumber(answer) === 41501 && request?.method === 'POST' && sentJson(request),
    says: 'something on the way drops or replaces the Content-Type of requests',
  },

  // Answers of something else.
  {
    isLikely: (_, answer) => answer.status === 413 && !looksLikeStore(answer),
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
    rules: ['reachable', 'removal'],
    isLikely: ({ request }, { status }) => request?.method === 'DELETE' && status >= 400,
    says: (_, answer) => `something refuses DELETE${proxyNames(answer)}`,
  },
  {
    rules: ['reachable'],
    isLikely: ({ request }, { status }) => request?.method === 'DELETE' && status === 200,
    says: (_, answer) => `something answers with a page in place of a 404${proxyNames(answer)}`,
  },
  {
    isLikely: ({ problem }) => problem === STRAY,
    says: `something on the way ${REWRITTEN}`,
  },
  {
    isLikely: (_, { status }) => status >= 300 && status < 400,
    says: ({ request }, answer) =>
      `something in front of the store redirects ${request?.path}${proxyNames(answer)}`,
  },
  {
    isLikely: ({ request }, answer) =>
      request?.method === 'OPTIONS' && answer.status !== 0 && !looksLikeStore(answer),
    says: 'something in front of the store answers OPTIONS itself, such as a CORS setting of a gateway',
  },
  {
    isLikely: (_, answer) => REFUSALS.includes(answer.status) && !isOfStore(answer),
    says: (_, answer) =>
      `something in front of the store refuses the request itself${proxyNames(answer)}`,
  },
  {
    isLikely: ({ request }, { headers }) =>
      request?.method === 'GET' && CACHE_HEADERS.some((name) => headers.has(name)),
    says: 'a cache on the way answers in place of the store: exclude these paths from it',
  },

  // Changed responses.
  {
    isLikely: (_, { headers }) => headers.has('content-encoding'),
    says: 'something on the way compresses responses, although the client has not asked for it',
  },
  {
    isLikely: ({ problem = '' }, answer) => WRONG_HEADER.test(problem) && looksLikeStore(answer),
    says: ({ problem = '' }) =>
      `a proxy drops or replaces the header ${WRONG_HEADER.exec(problem)?.[1]} of responses`,
  },
  {
    rules: ['link'],
    isLikely: ({ problem = '' }) => /^(Following Link|The status is 40)/.test(problem),
    says: 'a proxy rewrites or drops the Link header, whose target must stay as it is: <?limit=…&cursor=…>',
  },
  {
    rules: ['long-list'],
    isLikely: (_, { isComplete }) => !isComplete,
    says: 'a proxy cuts long responses by a limit of size or time',
  },
  {
    rules: ['long-list'],
    isLikely: ({ problem = '' }) => problem.startsWith('The list was not streamed'),
    says: 'a proxy or the platform buffers the whole response before it sends it on, such as a function behind a gateway',
  },
  {
    rules: ['long-list'],
    isLikely: ({ problem = '' }) => /^The (list looks complete|body must be a list)/.test(problem),
    says: 'a proxy truncates a long response without a sign: it ends as if it were complete',
  },
  {
    isLikely: ({ problem = '' }, { isComplete }) =>
      !isComplete || problem.startsWith('Content-Length must be'),
    says: 'something on the way changes the body of responses, or how it is framed, such as by an error page of its own',
  },

  // Changed paths.
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
    isLikely: ({ request }) => !ORDINARY_PATH.test(request?.path ?? ''),
    says: 'a proxy decodes or normalizes the path or the query before the store sees it',
  },
  {
    rules: ['list-query', 'absolute-target', 'content-length'],
    isLikely: ({ problem = '', request }) =>
      /^The status is 200/.test(problem) && /\?/.test(request?.path ?? ''),
    says: 'a proxy drops or changes the query before the store sees it',
  },
  {
    rules: ['other-paths'],
    isLikely: (_, answer) => isOfStore(answer),
    says: 'a proxy normalizes the path before the store sees it',
  },

  // Answers that are not up to date, or another owner's.
  {
    rules: ['isolation'],
    isLikely: (_, answer) => errorNumber(answer) === 40003,
    says: 'both tokens open the plants of one owner',
  },
  {
    rules: ['isolation'],
    isLikely: ({ problem = '' }) => problem.startsWith('The body must be ['),
    says: 'a cache on the way answers without regard to the token, or both tokens open the plants of one owner',
  },
  {
    isLikely: ({ request, problem = '' }) =>
      request?.method === 'GET' &&
      /^The (body must be \[|status is 200, expected 401)/.test(problem),
    says: 'a cache on the way answers in place of the store, or several servers answer that do not share their data',
  },

  {
    isLikely: (_, answer) => errorNumber(answer) === 40003,
    says: `something on the way sends a create twice, or ${REWRITTEN}`,
  },
  {
    isLikely: (_, answer) => answer.status !== 0 && !isOfStore(answer),
    says: (_, answer) => `something in front of the store has answered itself${proxyNames(answer)}`,
  },
  {
    isLikely: ({ message }) => message.includes('did not come within'),
    says: 'a proxy waits for something that the client does not send, or the store does not answer in time',
  },
  {
    isLikely: ({ problem = '' }) => problem.startsWith('The status is'),
    says: 'something on the way changes the request, or the status of the response',
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

function sentJson({ contentType, fields = [] }: TestRequest): boolean {
  return (contentType ?? 'application/json') === 'application/json' && fields.length === 0
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
