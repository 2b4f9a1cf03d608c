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
const ORDINARY_PATH = /^[\w/?=&.-]*$/

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

  // The connection.
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT/.test(message))
    return 'nothing answers at this URL: check its host and port'
  if (/wrong version number|packet length too long/i.test(message))
    return 'the server does not speak TLS at this port: does the URL begin with http: instead?'
  if (/certificate|CERT_|SSL|self-signed/i.test(message))
    return 'the TLS certificate is not right for this URL'

  // The way to the store.
  if (error === 40101 && sentToken(request))
    return 'something on the way strips the Authorization header'
  if (isReachable && error === 40102)
    return 'the store does not know the token, or something on the way replaces it'
  if (isReachable && method === 'GET' && (status === 404 || status === 405))
    return 'the URL is not where the paths of the store begin: check the mount path'
  if (error === 41501 && sentJson(request))
    return 'something on the way drops or replaces the Content-Type of requests'

  // Answers of something else.
  if (status === 413 && !isStores)
    return 'a proxy answers 413 itself: raise its limit of the body above maxBodyBytes, for example client_max_body_size of nginx'
  if (status === 429) return 'a rate limit refuses the requests of this check'
  if ([502, 503, 504].includes(status) && !isOfStore(answer))
    return `a proxy can't reach the store, or gives up on it${proxyNames(answer)}`
  if (method === 'DELETE' && status >= 400 && /^(reachable|removal)$/.test(rule))
    return `something refuses DELETE${proxyNames(answer)}`
  if (isReachable && method === 'DELETE' && status === 200)
    return `something answers with a page in place of a 404${proxyNames(answer)}`
  if (problem === STRAY)
    return 'something on the way parses the JSON of requests and writes it again, which rounds ids'
  if (status >= 300 && status < 400)
    return `something in front of the store redirects ${path}${proxyNames(answer)}`
  if (method === 'OPTIONS' && status > 0 && !isStores)
    return 'something in front of the store answers OPTIONS itself, for example a CORS setting of a gateway'

  // Changed responses.
  if (headers.has('content-encoding'))
    return 'something on the way compresses responses, although the client has not asked for it'
  if (wrongHeader !== undefined && isStores)
    return `a proxy drops or replaces the header ${wrongHeader} of responses`
  if (rule === 'link' && /^(Following Link|The status is 40)/.test(problem))
    return 'a proxy rewrites or drops the Link header, whose target must stay as it is: <?limit=…&cursor=…>'
  if (isLongList && !answer.isComplete)
    return 'a proxy cuts long responses by a limit of size or time'
  if (isLongList && /^The (list looks complete|body must be a list)/.test(problem))
    return 'a proxy truncates a long response without a sign: it ends as if it were complete'

  // Changed paths.
  if (path.includes('//'))
    return 'a proxy joins slashes (//) before the store sees the path, for example merge_slashes of nginx'
  if (/%2F/i.test(path))
    return 'a proxy decodes %2F in the path to a slash, for example proxy_pass of nginx with a path'
  if (!ORDINARY_PATH.test(path))
    return 'a proxy decodes or normalizes the path or the query before the store sees it'

  // Answers that are not up to date, or another owner's.
  if (rule === 'isolation' && error === 40003) return 'both tokens open the plants of one owner'
  if (method === 'GET' && /^The (body must be \[|status is 200, expected 401)/.test(problem))
    return 'a cache on the way answers in place of the store, or several servers answer that do not share their data'
  if (status > 0 && !isOfStore(answer))
    return `something in front of the store has answered itself${proxyNames(answer)}`
  return undefined
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
