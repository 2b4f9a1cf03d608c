import { CREATE, DELETE, LIST, type TestRequest } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkRow, type Row, table } from './rule.ts'
import { MIRRORED_HEADER } from './test-store.ts'

/** A list that is short, whoever the owner is. */
const FIRST = { ...LIST, path: '/plants?limit=1' }

const REALM = 'Bearer realm="plants"'
const missingToken = {
  ...LIST,
  error: 'missing_token',
  headers: { 'www-authenticate': REALM },
} as const
const invalidToken = {
  ...LIST,
  error: 'invalid_token',
  headers: { 'www-authenticate': `${REALM}, error="invalid_token"` },
} as const
const forbidden = (
  request: Pick<TestRequest, 'method' | 'path'>,
  token: string,
  scope: string,
): Row => ({
  ...request,
  token,
  error: 'insufficient_scope',
  headers: { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="plants:${scope}"` },
})

const tokens = (host: HostUnderTest): Row[] => [
  ...[
    ...[null, 'Basic owner-a', 'Bearer ', 'Bearer  ', 'Bearer a b', 'Bearer a,b', 'Token x'],
    ...['Bearer a, Bearer b', 'Bearer =', 'Bearer a=b', 'Bearer "a"', 'Bearera b'],
  ].map((token) => ({ ...missingToken, token })),
  { ...missingToken, token: 'Bearer owner-ü', mayBeRefused: true },
  ...['wrong', 'OWNER-a'].map((token) => ({ ...invalidToken, token })),
  ...['bearer', 'BEARER  '].map((scheme) => ({ ...FIRST, token: `${scheme} ${host.token()}` })),
]

const order = ({ deployment }: HostUnderTest): Row[] => [
  { ...DELETE, path: '/plants/x', token: 'wrong', error: 'invalid_token' },
  { ...LIST, path: '/plants?limit=x', token: null, error: 'missing_token' },
  { ...CREATE, body: '{', contentType: 'text/plain', token: null, error: 'missing_token' },
  // A deployment may have no such token.
  ...(deployment
    ? []
    : [{ ...CREATE, body: '{', token: 'reader-a', error: 'insufficient_scope' } as const]),
]

const UNAVAILABLE = { error: 'storage_unavailable', headers: { 'retry-after': /^\d+$/ } } as const
const BUG = { error: 'internal', message: /^Something went wrong on the server\.$/ } as const
const failures: Row[] = [
  { ...LIST, token: 'broken', error: 'auth_unavailable', headers: { 'www-authenticate': null } },
  { ...LIST, token: 'silent', error: 'timeout' },
  ...[LIST, CREATE, DELETE].flatMap((request): Row[] => [
    { ...request, token: 'owner-unavailable-1', ...UNAVAILABLE },
    { ...request, token: 'owner-buggy-1', ...BUG },
    { ...request, token: 'owner-hanging-1', error: 'timeout' },
  ]),
]

const ONE_FIELD = 'a proxy passes on only one of two fields with one name'
const JOIN_FIELDS =
  'headers.get must join repeated fields by ", ". Node’s request.headers keeps only the first one: use headersDistinct.'

export const access: AdapterRules = {
  token: {
    says: 'Authorization is read exactly; 401 says with WWW-Authenticate what is wrong',
    advice: 'headers.get must return Authorization as it came. Send all headers of the reply.',
    check: table(tokens),
  },
  'field-names': {
    says: 'the name of a header field is compared without its case',
    advice:
      'headers.get is called with a name in lower case. Clients send Authorization, authorization and AUTHORIZATION (RFC 9110, section 5.1).',
    over: ['1.1'],
    async check(host) {
      for (const [authorization, contentType] of [
        ['Authorization', 'Content-Type'],
        ['authorization', 'content-type'],
        ['AUTHORIZATION', 'CONTENT-TYPE'],
      ] as const) {
        const fields = [
          [authorization, `Bearer ${host.token()}`],
          [contentType, 'application/json'],
        ] as const
        await checkRow(host, { ...CREATE, token: null, contentType: null, fields })
      }
    },
  },
  'repeated-authorization': {
    says: 'two Authorization fields get 401, even if one of them is right',
    advice: JOIN_FIELDS,
    proxyMayBreak: ONE_FIELD,
    over: ['1.1'],
    check: table((host) => {
      const token = host.token()
      const pairs = [
        [token, token],
        [token, 'wrong'],
        ['wrong', token],
      ]
      return pairs.map((tokens) => ({
        ...missingToken,
        token: null,
        fields: tokens.map((token) => ['authorization', `Bearer ${token}`] as const),
        mayBeRefused: true,
      }))
    }),
  },
  'repeated-content-type': {
    says: 'two Content-Type fields get 415',
    advice: JOIN_FIELDS,
    proxyMayBreak: ONE_FIELD,
    over: ['1.1'],
    check: table([
      {
        ...CREATE,
        fields: [['content-type', 'application/json']],
        error: 'unsupported_media_type',
        mayBeRefused: true,
      },
    ]),
  },
  scope: {
    says: 'a token without the scope gets 403',
    advice: 'Send the status and all headers of the reply.',
    needs: 'tokens with one scope',
    check: table([
      forbidden(CREATE, 'reader-a', 'write'),
      forbidden(DELETE, 'reader-a', 'write'),
      forbidden(LIST, 'writer-a', 'read'),
      { ...LIST, token: 'reader-a' },
    ]),
  },
  'token-first': {
    says: 'the token and its scope are checked before the path, the query and the body',
    advice:
      'Do not read or validate the request before store.handle: the store reads the body itself, when the token is right.',
    check: table(order),
  },
  'verifier-request': {
    says: 'the verifier gets the request as it was sent: its method, full URL and headers, without a body',
    advice:
      'toRequest() must have the URL with the host that the client named, the mount path and the query, the method, and each header field. An app’s verifier checks such things as a proof of possession with it.',
    needs: 'a verifier that tells what it got',
    async check(host) {
      const path = '/plants?limit=1'
      const url = host.url.host + host.url.pathname.replace(/\/$/, '') + path
      const seen = { method: 'GET', url, authorization: 'Bearer mirror', field: 'a, b', body: null }
      await checkRow(host, {
        ...LIST,
        path,
        token: 'mirror',
        fields: ['a', 'b'].map((value) => [MIRRORED_HEADER, value] as const),
        json: [{ name: JSON.stringify(seen) }],
      })
      // With a content type, for hosts that take it for a form without one.
      const removal = { ...DELETE, contentType: 'application/json', token: 'only-DELETE' }
      await checkRow(host, { ...removal, error: 'plant_not_found' })
    },
  },
  failures: {
    says: 'a verifier or a storage that fails gets 500 or 503, and the message tells nothing of it',
    advice: 'Await the reply of store.handle, and send its status and headers.',
    needs: 'a verifier and a storage that fail',
    check: table(failures),
  },
}
