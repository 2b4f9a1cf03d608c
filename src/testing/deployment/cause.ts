import { type Answer, type Evidence, parseJson, type TestRequest } from '../adapter/exchange.ts'
import { isOfStore } from '../adapter/rule.ts'

/** A failure of a rule, with what was sent and what came, where that is known. */
export interface RuleFailure extends Partial<Evidence> {
  readonly rule: string
  readonly message: string
}

/** The problem if plants stay although each id that was sent has been deleted. */
export const STRAY = 'Plants of this check are listed after their ids were deleted'

const NO_REQUEST: TestRequest = { method: '', path: '', token: null }
const NO_ANSWER: Answer = { status: 0, headers: new Map(), text: '', isComplete: true }
const CACHE_HEADERS = ['age', 'x-cache', 'x-cache-status', 'cf-cache-status', 'x-varnish']
const ORDINARY_PATH = /^[\w/?=&.-]*$/
const DECODING_RULES = /^(id-in-path|malformed-percent-encoding|other-paths|mount-path|list-query)$/

/** Names what on the way to the store has caused a failure. `undefined` if what came doesn't tell. */
export function causeOf(failure: RuleFailure): string | undefined {
  const { rule, message, problem = '', request = NO_REQUEST, answer = NO_ANSWER } = failure
  const { method, path } = request
  const { status, headers } = answer
  const { error }: { error?: number } = Object(parseJson(answer.text))
  const isStores = looksLikeStore(answer)
  const isReachable = rule === 'reachable'
  const isLongList = rule === 'long-list'
  const wrongHeader = /^The header ([\w-]+) is/.exec(problem)?.[1]

  /** The first that holds counts. */
  const causes: [holds: boolean, says: string][] = [
    // The connection.
    [
      /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT/.test(message),
      'nothing answers at this URL: check its host and port',
    ],
    [
      /wrong version number|packet length too long/i.test(message),
      'the server does not speak TLS at this port: does the URL begin with http: instead?',
    ],
    [
      /certificate|CERT_|SSL|self-signed/i.test(message),
      'the TLS certificate is not right for this URL',
    ],
    // The way to the store.
    [error === 40101 && sentToken(request), 'something on the way strips the Authorization header'],
    [
      isReachable && error === 40102,
      'the store does not know the token, or something on the way replaces it',
    ],
    [
      isReachable && method === 'GET' && (status === 404 || status === 405),
      'the URL is not where the paths of the store begin: check the mount path',
    ],
    [
      error === 41501 && sentJson(request),
      'something on the way drops or replaces the Content-Type of requests',
    ],
    // Answers of something else.
    [
      status === 413 && !isStores,
      'a proxy answers 413 itself: raise its limit of the body above maxBodyBytes, for example client_max_body_size of nginx',
    ],
    [status === 429, 'a rate limit refuses the requests of this check'],
    [
      [502, 503, 504].includes(status) && !isOfStore(answer),
      `a proxy can't reach the store, or gives up on it${proxyNames(answer)}`,
    ],
    [
      method === 'DELETE' && status >= 400 && /^(reachable|removal)$/.test(rule),
      `something refuses DELETE${proxyNames(answer)}`,
    ],
    [
      isReachable && method === 'DELETE' && status === 200,
      `something answers with a page in place of a 404${proxyNames(answer)}`,
    ],
    [
      problem === STRAY,
      'something on the way parses the JSON of requests and writes it again, which rounds ids',
    ],
    [
      status >= 300 && status < 400,
      `something in front of the store redirects ${path}${proxyNames(answer)}`,
    ],
    [
      method === 'OPTIONS' && status > 0 && !isStores,
      'something in front of the store answers OPTIONS itself, for example a CORS setting of a gateway',
    ],
    [
      method === 'GET' && CACHE_HEADERS.some((name) => headers.has(name)),
      'a cache on the way answers in place of the store: exclude these paths from it',
    ],
    // Changed responses.
    [
      headers.has('content-encoding'),
      'something on the way compresses responses, although the client has not asked for it',
    ],
    [
      wrongHeader !== undefined && isStores,
      `a proxy drops or replaces the header ${wrongHeader} of responses`,
    ],
    [
      rule === 'link' && /^(Following Link|The status is 40)/.test(problem),
      'a proxy rewrites or drops the Link header, whose target must stay as it is: <?limit=…&cursor=…>',
    ],
    [isLongList && !answer.isComplete, 'a proxy cuts long responses by a limit of size or time'],
    [
      isLongList && problem.startsWith('The list was not streamed'),
      'a proxy or the platform buffers the whole response before it sends it on, for example a function behind a gateway',
    ],
    [
      isLongList && /^The (list looks complete|body must be a list)/.test(problem),
      'a proxy truncates a long response without a sign: it ends as if it were complete',
    ],
    // Changed paths.
    [
      /^(other-paths|mount-path)$/.test(rule) && path.includes('//'),
      'a proxy joins slashes (//) before the store sees the path, for example merge_slashes of nginx',
    ],
    [
      /^(id-in-path|other-paths)$/.test(rule) && /%2F/i.test(path),
      'a proxy decodes %2F in the path to a slash, for example proxy_pass of nginx with a path',
    ],
    [
      DECODING_RULES.test(rule) && !ORDINARY_PATH.test(path),
      'a proxy decodes or normalizes the path or the query before the store sees it',
    ],
    // Answers that are not up to date, or another owner's.
    [rule === 'isolation' && error === 40003, 'both tokens open the plants of one owner'],
    [
      method === 'GET' && /^The (body must be \[|status is 200, expected 401)/.test(problem),
      'a cache on the way answers in place of the store, or several servers answer that do not share their data',
    ],
    [
      status > 0 && !isOfStore(answer),
      `something in front of the store has answered itself${proxyNames(answer)}`,
    ],
  ]
  return causes.find(([holds]) => holds)?.[1]
}

function sentToken({ token }: TestRequest): boolean {
  return token !== null && /^([^ ]+|bearer +[^ ]+)$/i.test(token)
}

function sentJson({ method, contentType = 'application/json', fields = [] }: TestRequest): boolean {
  return method === 'POST' && contentType === 'application/json' && fields.length === 0
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
