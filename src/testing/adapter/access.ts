import type { ErrorName } from '../../errors.ts'
import { freshOwner } from '../framework.ts'
import { CREATE, DELETE, type Field, LIST } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import type { AdapterRules, Expected, Row } from './rule.ts'
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
  const one = { ...LIST, path: '/plants?limit=1' }
  const right = ['bearer', 'BEARER  '].map((scheme) => `${scheme} ${host.token()}`)
  return [
    ...NOT_BEARER.map((token) => ({ ...LIST, ...missingToken, token })),
    { ...LIST, ...missingToken, token: 'Bearer owner-ü', mayBeRefused: true },
    ...['wrong', 'OWNER-a'].map((token) => ({ ...LIST, ...invalidToken, token })),
    ...right.map((token) => ({ ...one, token })),
    // Clients send the names of fields in any case (RFC 9110, section 5.1).
    ...['Authorization', 'AUTHORIZATION'].map((name) => {
      return { ...one, token: null, fields: [[name, `Bearer ${host.token()}`] as const] }
    }),
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

/** Who may do what, and what fails around it. */
export const access: AdapterRules = {
  token: {
    says: 'Authorization is read exactly, but for the case of its name; 401 says with WWW-Authenticate what is wrong',
    advice:
      'headers.get is called with a name in lower case, and must return Authorization as it came. Send all headers of the reply.',
    rows: tokens,
  },
  'repeated-fields': {
    says: 'two Authorization fields get 401, even if one of them is right, and two of Content-Type 415',
    advice:
      'headers.get must join repeated fields by ", ". Node’s request.headers keeps only the first one: use headersDistinct.',
    needs: 'a way without a proxy, which may pass on only one of two fields',
    over: ['1.1'],
    rows: (host) => {
      const right = host.token()
      const second = (token: string): Field => ['authorization', `Bearer ${token}`]
      const twice = { ...LIST, ...missingToken, token: right }
      const type: Field = ['content-type', 'application/json']
      return [
        { ...twice, fields: [second(right)] },
        { ...twice, fields: [second('wrong')] },
        { ...twice, fields: [second(right)], token: 'wrong' },
        { ...CREATE, fields: [type], error: 'unsupported_media_type' },
      ]
    },
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
    steps: () =>
      [freshOwner(), freshOwner('bob')].flatMap((name) => {
        const row = { token: null, fields: [[CALLER_HEADER, name] as const] }
        return [
          { ...CREATE, ...row, body: `{"id":ID,"name":"${name}"}` },
          { ...LIST, ...row, json: [{ name }] },
        ]
      }),
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
