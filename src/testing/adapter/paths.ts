import { CREATE, DELETE, freshId, LIST, withId } from './exchange.ts'
import { type AdapterRules, type Expected, JSON_TYPE, type Row } from './rule.ts'

const words = (text: string) => text.split(' ')
const list =
  (expected: Expected) =>
  (query: string): Row => ({ ...LIST, path: `/plants?${query}`, ...expected })
const remove =
  (expected: Expected) =>
  (id: string): Row => ({ method: 'DELETE', path: `/plants/${id}`, ...expected })
const wrongId = remove({ error: 'invalid_id' })
const missing = remove({ error: 'plant_not_found' })
const notFound = (path: string): Row => ({ method: 'GET', path, status: 404, isHosts: true })
const LISTED: Expected = { json: [] }

const lists: Row[] = [
  { ...LIST, json: [], headers: { 'content-type': JSON_TYPE, link: null } },
  ...words('limit=0 limit=1 limit=10 limit=2147483647 limit=%31 l%69mit=1').map(list(LISTED)),
  list(LISTED)('Limit=x&page=2&limits=3&&='),
  ...[
    ...words('limit= limit=-1 limit=%2B1 limit=01 limit=1.0 limit=1e1 limit=2147483648 limit=ten'),
    ...words('limit=99999999999999999999 limit=1,2 limit=%201 limit=0x1 limit=-0 limit=Infinity'),
    ...words('limit=%D9%A1 limit=1&limit=1 limit limit=1+ limit=%zz'),
  ].map(list({ error: 'invalid_limit' })),
  ...[
    ...words('cursor= cursor=x cursor=7 cursor=00000000000003e cursor=00000000000003E8'),
    ...words('cursor=00000000000003e8%20 cursor=00000000000000000'),
    'cursor=0000000000000001&cursor=0000000000000002',
  ].map(list({ error: 'invalid_cursor' })),
]

const ids: Row[] = [
  ...words('ID ID?limit=x %2DDIGITS').map(missing),
  ...[
    ...words('-0DIGITS +DIGITS ID.0 -0 1e3 9223372036854775808 -9223372036854775809 ID%2F8 ID%2F'),
    ...words('%2F ID%3Fa ID%20 ID,8 0xDIGITS -ID - x %D9%A1 %C3%A9'),
    '1'.repeat(2000),
  ].map(wrongId),
  { ...wrongId('%00'), mayBeRefused: true },
]

/** The allowed methods by path. */
const ALLOW = { '/plants': 'GET, HEAD, POST, OPTIONS', [DELETE.path]: 'DELETE, OPTIONS' }
const notAllowed = (method: string, path: string): Row => ({
  method,
  path,
  error: 'method_not_allowed',
  headers: { allow: ALLOW[path]! },
})

/** Which paths, queries and methods there are. */
export const paths: AdapterRules = {
  'list-query': {
    says: 'limit and cursor are read from the query exactly',
    advice: 'url must hold the query as it was sent, percent-encoding included.',
    rows: lists,
  },
  'id-in-path': {
    says: 'an id in the path is compared after percent-decoding (/plants/%37 is plant 7), and only then',
    advice:
      'url must hold the path as it was sent: hosts decode it for their own routers, and %2F must not become a slash.',
    rows: ids,
    steps(host) {
      const [token, id] = [host.token(), freshId()]
      const steps = [CREATE, remove({ status: 204 })('%2DDIGITS')]
      return steps.map((row) => withId({ ...row, token }, id))
    },
  },
  'malformed-percent-encoding': {
    says: 'an id with a malformed percent-encoding (/plants/%zz) gets 400',
    advice:
      'Pass the path on undecoded. Some routers refuse such a path themselves: answer 400 in their error handler.',
    rows: words('%3 %zz %E0%A4%A').map((id) => ({ ...wrongId(id), mayBeRefused: true })),
  },
  'other-paths': {
    says: 'any other path gets 404: one more slash, another case, an encoded letter, a longer mount path',
    advice:
      'url must hold the path as it was sent. Take the mount path off only in front of a slash: /apix/plants is not below /api. Send the reply of store.notFound, or run the host’s next handler, where handle returns undefined.',
    rows: ({ url }) =>
      [
        ...words('/ /plant /plants/ /plants// //plants /plants/ID/ /plants//ID /plants/ID/leaves'),
        ...words(
          '/Plants /plants%2FID /api/plants /__proto__ /plants%3Flimit=1 /%70lants /plants;a=b',
        ),
        ...(url.pathname === '/' ? [] : ['x/plants']),
      ].map(notFound),
  },
  'absolute-target': {
    says: 'a target that is a whole URL is read as its path and query',
    advice:
      'url may be the whole URL, or its path and query: take only a mount path off it. Clients send such targets to a proxy, and some proxies pass them on (RFC 9112, section 3.2.2).',
    over: ['1.1'],
    rows: [list(LISTED)('limit=0'), list({ error: 'invalid_limit' })('limit=x'), missing('ID')].map(
      (row) => ({ ...row, isAbsolute: true, mayBeRefused: true }),
    ),
  },
  methods: {
    says: 'another method of a known path gets 405 with Allow, whatever its fields and query say',
    advice:
      'Route every method to the store, and send all headers of the reply. Turn off what overrides the method by a field or the query.',
    rows: [
      ...words('GET PUT PATCH POST HEAD').map((method) => notAllowed(method, DELETE.path)),
      ...words('PUT PATCH DELETE').map((method) => notAllowed(method, '/plants')),
      {
        ...notAllowed('POST', DELETE.path),
        path: `${DELETE.path}?_method=DELETE`,
        fields: [['x-http-method-override', 'DELETE']],
      },
    ],
  },
  options: {
    says: 'OPTIONS /plants and OPTIONS /plants/{id} get 204 with Allow and without a body, and need no token',
    advice:
      'Route OPTIONS to the store: some hosts and CORS middlewares answer it themselves. Send no Content-Length with a 204 (RFC 9110, section 8.6).',
    rows: Object.entries(ALLOW).map(([path, allow]) => {
      const none = { 'content-type': null, 'content-length': null }
      const headers = { allow, ...none, 'access-control-allow-origin': null }
      return { method: 'OPTIONS', path, token: null, status: 204, headers }
    }),
  },
}
