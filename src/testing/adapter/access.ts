import { freshToken } from './exchange.ts'
import { type AdapterRules, checkRow, type Row, table } from './rule.ts'
import { MIRRORED_HEADER } from './test-store.ts'

const READ = { method: 'GET', path: '/plants' }
const WRITE = { method: 'POST', path: '/plants', body: '{"id":1,"name":"a"}' }
const DELETE = { method: 'DELETE', path: '/plants/1' }

const REALM = 'Bearer realm="plants"'
const missingToken = {
  ...READ,
  status: 401,
  error: 'missing_token',
  headers: { 'www-authenticate': REALM },
} as const
const forbidden = (request: Omit<Row, 'status'>, scope: string): Row => ({
  ...request,
  status: 403,
  error: 'insufficient_scope',
  headers: { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="plants:${scope}"` },
})

const tokens: Row[] = [
  ...[
    ...[null, 'Basic owner-a', 'Bearer ', 'Bearer  ', 'Bearer a b', 'Bearer a,b', 'Token x'],
    ...[
      'Bearer a, Bearer b',
      'Bearer =',
      'Bearer a=b',
      'Bearer "a"',
      'Bearera b',
      'Bearer owner-ü',
    ],
  ].map((token) => ({ ...missingToken, token })),
  {
    ...READ,
    token: 'wrong',
    status: 401,
    error: 'invalid_token',
    headers: { 'www-authenticate': `${REALM}, error="invalid_token"` },
  },
  { ...READ, token: 'OWNER-a', status: 401, error: 'invalid_token' },
  ...['bearer owner-a', 'BEARER   owner-a'].map((token) => ({ ...READ, token, status: 200 })),
]

const order: Row[] = [
  { ...DELETE, path: '/plants/x', token: 'wrong', status: 401, error: 'invalid_token' },
  { ...READ, path: '/plants?limit=x', token: null, status: 401, error: 'missing_token' },
  {
    ...WRITE,
    body: '{',
    contentType: 'text/plain',
    token: null,
    status: 401,
    error: 'missing_token',
  },
  { ...WRITE, body: '{', token: 'reader-a', status: 403, error: 'insufficient_scope' },
]

const failures: Row[] = [
  {
    ...READ,
    token: 'broken',
    status: 503,
    error: 'auth_unavailable',
    headers: { 'www-authenticate': null },
  },
  { ...READ, token: 'silent', status: 503, error: 'timeout' },
  ...[READ, WRITE, DELETE].flatMap((request): Row[] => [
    {
      ...request,
      token: 'owner-unavailable-1',
      status: 503,
      error: 'storage_unavailable',
      headers: { 'retry-after': /^\d+$/ },
    },
    {
      ...request,
      token: 'owner-buggy-1',
      status: 500,
      error: 'internal',
      message: /^Something went wrong on the server\.$/,
    },
    { ...request, token: 'owner-hanging-1', status: 503, error: 'timeout' },
  ]),
]

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
      const names = [
        ['Authorization', 'Content-Type'],
        ['authorization', 'content-type'],
        ['AUTHORIZATION', 'CONTENT-TYPE'],
      ] as const
      for (const [authorization, contentType] of names) {
        const fields = [
          [authorization, `Bearer ${freshToken()}`],
          [contentType, 'application/json'],
        ] as const
        await checkRow(host, { ...WRITE, token: null, contentType: null, fields, status: 200 })
      }
    },
  },
  'repeated-authorization': {
    says: 'two Authorization fields get 401, even if one of them is right',
    advice:
      'headers.get must join repeated fields by ", ". Node’s request.headers keeps only the first one: use headersDistinct.',
    over: ['1.1'],
    check: table(
      ['Bearer owner-a', 'Bearer wrong'].flatMap((other) =>
        [
          ['Bearer owner-a', other],
          [other, 'Bearer owner-a'],
        ].map((values) => ({
          ...missingToken,
          token: null,
          fields: values.map((value) => ['authorization', value!] as const),
        })),
      ),
    ),
  },
  'repeated-content-type': {
    says: 'two Content-Type fields get 415',
    advice:
      'headers.get must join repeated fields by ", ". Node’s request.headers keeps only the first one: use headersDistinct.',
    over: ['1.1'],
    check: table([
      {
        ...WRITE,
        fields: [['content-type', 'application/json']],
        status: 415,
        error: 'unsupported_media_type',
      },
    ]),
  },
  scope: {
    says: 'a token without the scope gets 403',
    advice: 'Send the status and all headers of the reply.',
    check: table([
      forbidden({ ...WRITE, token: 'reader-a' }, 'write'),
      forbidden({ ...DELETE, token: 'reader-a' }, 'write'),
      forbidden({ ...READ, token: 'writer-a' }, 'read'),
      { ...READ, token: 'reader-a', status: 200 },
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
    async check(host) {
      const path = '/plants?limit=1'
      const url = host.url.host + host.url.pathname.replace(/\/$/, '') + path
      const authorization = 'Bearer mirror'
      const seen = { method: 'GET', url, authorization, field: 'a, b', body: null }
      await checkRow(host, {
        method: 'GET',
        path,
        token: 'mirror',
        fields: [
          [MIRRORED_HEADER, 'a'],
          [MIRRORED_HEADER, 'b'],
        ],
        status: 200,
        json: [{ name: JSON.stringify(seen) }],
      })
      // With a content type, for hosts that take it for a form without one.
      const removal = { ...DELETE, contentType: 'application/json', token: 'only-DELETE' }
      await checkRow(host, { ...removal, status: 404, error: 'plant_not_found' })
    },
  },
  failures: {
    says: 'a verifier or a storage that fails gets 500 or 503, and the message tells nothing of it',
    advice: 'Await the reply of store.handle, and send its status and headers.',
    check: table(failures),
  },
}
