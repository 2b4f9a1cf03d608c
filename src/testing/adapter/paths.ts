import { CREATE, DELETE, freshId, LIST, withId } from './exchange.ts'
import { type AdapterRules, checkRow, JSON_TYPE, type Row, table } from './rule.ts'

const notFound = (path: string): Row => ({ method: 'GET', path, status: 404, isHosts: true })
const listWith = (query: string) => ({ ...LIST, path: `/plants?${query}` })
const wrongLimit = (query: string): Row => ({ ...listWith(query), error: 'invalid_limit' })
const wrongCursor = (query: string): Row => ({ ...listWith(query), error: 'invalid_cursor' })
const remove = (id: string) => ({ method: 'DELETE', path: `/plants/${id}` })
const missing = (id: string): Row => ({ ...remove(id), error: 'plant_not_found' })
const wrongId = (id: string): Row => ({ ...remove(id), error: 'invalid_id' })

const lists: Row[] = [
  { ...LIST, json: [], headers: { 'content-type': JSON_TYPE, link: null } },
  ...[
    ...['limit=0', 'limit=1', 'limit=10', 'limit=2147483647', 'limit=%31', 'l%69mit=1'],
    'Limit=x&page=2&limits=3&&=',
  ].map((query) => ({ ...listWith(query), json: [] })),
  ...[
    ...['', '-1', '+1', '01', '1.0', '1e1', '2147483648', '99999999999999999999', 'ten', '1,2'],
    ...[' 1', '0x1', '-0', 'Infinity', '١'],
  ].map((limit) => wrongLimit(`limit=${encodeURIComponent(limit)}`)),
  ...['limit=1&limit=1', 'limit', 'limit=1+', 'limit=%zz'].map(wrongLimit),
  ...[
    ...['', 'x', '7', '00000000000003e', '00000000000003E8', '00000000000003e8 '],
    '0'.repeat(17),
  ].map((cursor) => wrongCursor(`cursor=${encodeURIComponent(cursor)}`)),
  wrongCursor('cursor=0000000000000001&cursor=0000000000000002'),
]

const ids: Row[] = [
  ...['ID', 'ID?limit=x', '%2DDIGITS'].map(missing),
  ...[
    ...['-0DIGITS', '+DIGITS', 'ID.0', '-0', '1e3', '9223372036854775808', '-9223372036854775809'],
    ...['ID%2F8', 'ID%2F', '%2F', 'ID%3Fa', 'ID%20', 'ID,8', '0xDIGITS', '-ID', '-', 'x', '%D9%A1'],
    ...['1'.repeat(2000), '%C3%A9'],
  ].map(wrongId),
  { ...wrongId('%00'), mayBeRefused: true },
]

const notAllowed = (method: string, path: string, allow: string): Row => ({
  method,
  path,
  error: 'method_not_allowed',
  headers: { allow },
})
const ALLOWED_ON_PLANTS = 'GET, HEAD, POST, OPTIONS'
const ALLOWED_ON_PLANT = 'DELETE, OPTIONS'

const options = (path: string, allow: string): Row => ({
  method: 'OPTIONS',
  path,
  token: null,
  status: 204,
  headers: {
    ...{ allow, 'content-type': null, 'content-length': null },
    'access-control-allow-origin': null,
  },
})

export const paths: AdapterRules = {
  'list-query': {
    says: 'limit and cursor are read from the query exactly',
    advice: 'url must hold the query as it was sent, percent-encoding included.',
    check: table(lists),
  },
  'id-in-path': {
    says: 'an id in the path is compared after percent-decoding, and only then',
    advice:
      'url must hold the path as it was sent: hosts decode it for their own routers, and %2F must not become a slash.',
    check: async (host) => {
      await table(ids)(host)
      const [token, id] = [host.token(), freshId()]
      await checkRow(host, withId({ ...CREATE, token }, id))
      await checkRow(host, withId({ ...remove('%2DDIGITS'), token, status: 204 }, id))
    },
  },
  'malformed-percent-encoding': {
    says: 'an id with a malformed percent-encoding gets 400',
    advice:
      'Pass the path on undecoded. Some routers refuse such a path themselves: answer 400 in their error handler.',
    check: table(['%3', '%zz', '%E0%A4%A'].map((id) => ({ ...wrongId(id), mayBeRefused: true }))),
  },
  'other-paths': {
    says: 'any other path gets 404: one more slash, another case, an encoded letter',
    advice:
      'url must hold the path as it was sent. Send the reply of store.notFound, or run the host’s next handler, where handle returns undefined.',
    check: table(
      [
        ...['/', '/plant', '/plants/', '/plants//', '//plants', '/plants/ID/', '/plants//ID'],
        ...['/plants/ID/leaves', '/Plants', '/plants%2FID', '/api/plants', '/__proto__'],
        ...['/plants%3Flimit=1', '/%70lants', '/plants;a=b'],
      ].map(notFound),
    ),
  },
  'mount-path': {
    says: 'a path that only begins like the mount path is not the store’s',
    advice:
      'Take the mount path off the URL only where it ends at a slash: /apix/plants is not below /api.',
    check: async (host) => {
      if (host.url.pathname === '/') return
      await checkRow(host, notFound('x/plants'))
    },
  },
  'absolute-target': {
    says: 'a target that is a whole URL is read as its path and query',
    advice:
      'url may be the whole URL, or its path and query: take only a mount path off it. Clients send such targets to a proxy, and some proxies pass them on (RFC 9112, section 3.2.2).',
    over: ['1.1'],
    check: table(
      [{ ...listWith('limit=0'), json: [] }, wrongLimit('limit=x'), missing('ID')].map((row) => ({
        ...row,
        isAbsolute: true,
        mayBeRefused: true,
      })),
    ),
  },
  methods: {
    says: 'another method of a known path gets 405 with Allow, whatever its fields and query say',
    advice:
      'Route every method to the store, and send all headers of the reply. Turn off what lets a field or the query override the method.',
    check: table([
      {
        ...notAllowed('POST', '/plants/ID?_method=DELETE', ALLOWED_ON_PLANT),
        fields: [['x-http-method-override', 'DELETE']],
      },
      ...['GET', 'PUT', 'PATCH', 'POST', 'HEAD'].map((method) =>
        notAllowed(method, DELETE.path, ALLOWED_ON_PLANT),
      ),
      ...['PUT', 'PATCH', 'DELETE'].map((method) =>
        notAllowed(method, '/plants', ALLOWED_ON_PLANTS),
      ),
    ]),
  },
  options: {
    says: 'OPTIONS gets 204 with Allow and without a body, and needs no token',
    advice:
      'Route OPTIONS to the store: some hosts and CORS middlewares answer it themselves. Send no Content-Length with a 204 (RFC 9110, section 8.6).',
    check: table([options('/plants', ALLOWED_ON_PLANTS), options(DELETE.path, ALLOWED_ON_PLANT)]),
  },
}
