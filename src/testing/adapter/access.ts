import type { ErrorName } from '../../errors.ts'
import { CREATE, DELETE, type Field, freshOwner, LIST } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkRow, type Expected, type Row } from './rule.ts'
import { CALLER_HEADER, MIRRORED_HEADER, WRAPPER_HEADER } from './test-store.ts'

function refused(error: ErrorName, challenge = '') {
  const headers = { 'www-authenticate': `Bearer realm="plants"${challenge}` }
  return { error, headers } satisfies Expected
}
const missingToken = refused('missing_token')
const invalidToken = refused('invalid_token', ', error="invalid_token"')
const lacking = (scope: string) =>
  refused('insufficient_scope', `, error="insufficient_scope", scope="plants:${scope}"`)

const NOT_BEARER = [
  ...[null, 'Basic owner-a', 'Bearer ', 'Bearer  ', 'Bearer a b', 'Bearer a,b', 'Token x'],
  ...['Bearer a, Bearer b', 'Bearer =', 'Bearer a=b', 'Bearer "a"', 'Bearera b'],
]

function tokens(host: HostUnderTest): Row[] {
  const right = ['bearer', 'BEARER  '].map((scheme) => `${scheme} ${host.token()}`)
  return [
    ...NOT_BEARER.map((token) => ({ ...LIST, ...missingToken, token })),
    { ...LIST, ...missingToken, token: 'Bearer owner-ü', mayBeRefused: true },
    ...['wrong', 'OWNER-a'].map((token) => ({ ...LIST, ...invalidToken, token })),
    ...right.map((token) => ({ ...LIST, path: '/plants?limit=1', token })),
  ]
}

const failures: Row[] = [
  { ...LIST, token: 'broken', error: 'auth_unavailable', headers: { 'www-authenticate': null } },
  { ...LIST, token: 'silent', error: 'timeout' },
  ...[LIST, CREATE, DELETE].flatMap((request): Row[] => [
    {
      ...{ ...request, token: 'owner-unavailable-1', error: 'storage_unavailable' },
      headers: { 'retry-after': /^\d+$/ },
    },
    {
      ...{ ...request, token: 'owner-buggy-1', error: 'internal' },
      message: /^Something went wrong on the server\.$/,
    },
    { ...request, token: 'owner-hanging-1', error: 'timeout' },
  ]),
]

/** The three common spellings of the names of header fields. */
const FIELD_NAMES = [
  ['Authorization', 'Content-Type'],
  ['authorization', 'content-type'],
  ['AUTHORIZATION', 'CONTENT-TYPE'],
] as const

const NO_PROXY = 'a way without a proxy, which may pass on only one of two fields'
const JOIN_FIELDS =
  'headers.get must join repeated fields by ", ". Node’s request.headers keeps only the first one: use headersDistinct.'

/** Who may do what, and what fails around it. */
export const access: AdapterRules = {
  token: {
    says: 'Authorization is read exactly; 401 says with WWW-Authenticate what is wrong',
    advice: 'headers.get must return Authorization as it came. Send all headers of the reply.',
    rows: tokens,
  },
  'field-names': {
    says: 'the name of a header field is compared without its case',
    advice:
      'headers.get is called with a name in lower case. Clients send Authorization, authorization and AUTHORIZATION (RFC 9110, section 5.1).',
    over: ['1.1'],
    rows: (host) =>
      FIELD_NAMES.map(([authorization, type]) => {
        const token = [authorization, `Bearer ${host.token()}`] as const
        const fields = [token, [type, 'application/json'] as const]
        return { ...CREATE, token: null, contentType: null, fields }
      }),
  },
  'repeated-authorization': {
    says: 'two Authorization fields get 401, even if one of them is right',
    advice: JOIN_FIELDS,
    needs: NO_PROXY,
    over: ['1.1'],
    rows: (host) => {
      const [right, wrong] = [host.token(), 'wrong']
      return [
        [right, right],
        [right, wrong],
        [wrong, right],
      ].map((pair) => {
        const fields = pair.map((token): Field => ['authorization', `Bearer ${token}`])
        return { ...LIST, ...missingToken, token: null, fields }
      })
    },
  },
  'repeated-content-type': {
    says: 'two Content-Type fields get 415',
    advice: JOIN_FIELDS,
    needs: NO_PROXY,
    over: ['1.1'],
    rows: [
      {
        ...CREATE,
        fields: [['content-type', 'application/json']],
        error: 'unsupported_media_type',
      },
    ],
  },
  scope: {
    says: 'a token without the scope gets 403',
    advice: 'Send the status and all headers of the reply.',
    needs: 'tokens with one scope',
    rows: [
      { ...CREATE, token: 'reader-a', ...lacking('write') },
      { ...DELETE, token: 'reader-a', ...lacking('write') },
      { ...LIST, token: 'writer-a', ...lacking('read') },
      { ...LIST, token: 'reader-a' },
    ],
  },
  'token-first': {
    says: 'the token and its scope are checked before the path, the query and the body',
    advice:
      'Do not read or validate the request before store.handle: the store reads the body itself, when the token is right.',
    rows: ({ deployment }) => [
      { ...DELETE, path: '/plants/x', token: 'wrong', error: 'invalid_token' },
      { ...LIST, path: '/plants?limit=x', token: null, error: 'missing_token' },
      { ...CREATE, body: '{', contentType: 'text/plain', token: null, error: 'missing_token' },
      // A deployment may have no such token.
      ...(deployment ? [] : [{ ...CREATE, body: '{', token: 'reader-a', ...lacking('write') }]),
    ],
  },
  'verifier-request': {
    says: 'the verifier gets the request as it was sent: its method, full URL and headers, without a body',
    advice:
      'toRequest() must have the URL with the host that the client named, the mount path and the query, the method, and each header field. An app’s verifier checks such things as a proof of possession with it.',
    needs: 'a verifier that tells what it got',
    rows: ({ url }) => {
      const path = '/plants?limit=1'
      const sent = url.host + url.pathname.replace(/\/$/, '') + path
      const seen = { method: 'GET', url: sent, authorization: 'Bearer mirror', field: 'a, b' }
      const name = JSON.stringify({ ...seen, body: null })
      const fields = ['a', 'b'].map((value): Field => [MIRRORED_HEADER, value])
      return [
        { ...LIST, path, token: 'mirror', fields, json: [{ name }] },
        // With a content type, for hosts that take it for a form without one.
        {
          ...{ ...DELETE, contentType: 'application/json', token: 'only-DELETE' },
          error: 'plant_not_found',
        },
      ]
    },
  },
  caller: {
    says: 'a caller whom the host app has authenticated needs no Authorization, and has their own plants',
    advice:
      'Leave Authorization to the store: an app that has signed its user in mounts store.as(caller), for which no header is read.',
    needs: 'an app that signs its users in',
    async check(host) {
      for (const name of [freshOwner(), freshOwner('bob')]) {
        const fields = [[CALLER_HEADER, name] as const]
        await checkRow(host, { ...CREATE, body: `{"id":ID,"name":"${name}"}`, token: null, fields })
        await checkRow(host, { ...LIST, token: null, fields, json: [{ name }] })
      }
    },
  },
  failures: {
    says: 'a verifier or a storage that fails gets 500 or 503, and the message tells nothing of it',
    advice: 'Await the reply of store.handle, and send its status and headers.',
    needs: 'a verifier and a storage that fail',
    rows: failures,
  },
  'failing-wrapper': {
    says: 'an app’s wrapper of the store that throws or rejects gets the client a 500',
    advice:
      'Use getReply(store, request), or catch what store.handle throws and send internalErrorReply(error, request), or pass the error on to the host’s error handler.',
    needs: 'an app’s wrapper that fails',
    rows: ['throw', 'reject'].map((failure) => {
      return { ...LIST, fields: [[WRAPPER_HEADER, failure]], status: 500, isHosts: true }
    }),
  },
}
