import type { ErrorName } from '../../src/index.ts'

/** A request, and the answer it must get of every host. */
export interface Case {
  name: string
  method: string
  path: string
  /** The bearer token, or the whole Authorization header if it has a space, or none. Default: a fresh owner's. */
  token?: string | null
  /** A string goes as it is, anything else as JSON. */
  body?: unknown
  /** Default: application/json where there is a body. */
  contentType?: string | null
  headers?: Record<string, string>
  status: number
  error?: ErrorName
  /** A pattern that the message must match. */
  message?: RegExp
  json?: unknown
  /** The expected headers; null for one that must be absent. */
  answers?: Record<string, string | RegExp | null>
}

const ID_RANGE = /id must be an integer from -9223372036854775808 to 9223372036854775807/

const creates: Case[] = [
  [
    'a plant with a tag',
    '{"id":1,"name":"Monstera","tag":"indoor"}',
    { name: 'Monstera', tag: 'indoor' },
  ],
  ['a plant without a tag', '{"id":1,"name":"Monstera"}', { name: 'Monstera' }],
  ['empty strings', '{"id":0,"name":"","tag":""}', { name: '', tag: '' }],
  [
    'any other text',
    '{"id":2,"name":"🌵 \\u0001\\"\\\\é\\u0065\\u0301","tag":"\\ud83c\\udf35"}',
    { name: '🌵 \u0001"\\ée\u0301', tag: '🌵' },
  ],
  [
    'members that NewPlant does not name',
    '{"id":1,"name":"a","species":{"id":[1e999]},"__proto__":{"tag":1}}',
    { name: 'a' },
  ],
  ['a member twice: the last counts', '{"id":"x","name":"a","id":3,"name":"b"}', { name: 'b' }],
  ['white space around', ' \r\n\t{ "id" : 1 , "name" : "a" } \n', { name: 'a' }],
  ['a byte order mark before', '\ufeff{"id":1,"name":"a"}', { name: 'a' }],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '-0',
    '7.0',
    '1e3',
    '1E+3',
    '70e-1',
    '0.5e1',
    '0e999999999',
    '-0.0',
    '922337203685477580700e-2',
    '0.0009223372036854775807e22',
  ].map((id): [string, string, unknown] => [
    `the id ${id}`,
    `{"id":${id},"name":"a"}`,
    { name: 'a' },
  ]),
].map(([what, body, json]) => ({
  name: `create takes ${what}`,
  method: 'POST',
  path: '/plants',
  body,
  status: 200,
  json,
  answers: { 'content-type': 'application/json', location: null },
}))

const refusedPlants: Case[] = [
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    '1e999999999',
    '7.5',
    '1.00000000000000000001',
    '9007199254740993.5',
    '1e-1',
    '"7"',
    'true',
    'null',
    '[7]',
    '{"id":7}',
  ].map((id): [string, string, RegExp] => [`the id ${id}`, `{"id":${id},"name":"a"}`, ID_RANGE]),
  ['no id', '{"name":"a"}', /id is required/],
  ['no name', '{"id":1}', /name is required/],
  ['a name that is not a string', '{"id":1,"name":7}', /name must be a string/],
  ['a null name', '{"id":1,"name":null}', /name must be a string/],
  ['a null tag', '{"id":1,"name":"a","tag":null}', /tag must be a string/],
  ['a tag that is not a string', '{"id":1,"name":"a","tag":["b"]}', /tag must be a string/],
  ['U+0000 in a name', '{"id":1,"name":"a\\u0000b"}', /name must not contain U\+0000/],
  [
    'a lone surrogate in a tag',
    '{"id":1,"name":"a","tag":"\\udf35"}',
    /tag must not contain .*lone surrogate/,
  ],
  [
    'several wrong fields, naming each',
    '{"id":"x","tag":3}',
    /^id must .*; got a string\. name is required\. tag must be a string; got 3\.$/,
  ],
  ...['[]', '[{"id":1,"name":"a"}]', 'null', '7', '"{}"', 'true'].map(
    (body): [string, string, RegExp] => [`${body} for a plant`, body, /must be a JSON object/],
  ),
].map(([what, body, message]) => ({
  name: `create refuses ${what}`,
  method: 'POST',
  path: '/plants',
  body,
  status: 400,
  error: 'invalid_plant',
  message: message as RegExp,
}))

const malformed: Case[] = [
  '',
  ' ',
  '{',
  '{"id":1,"name":"a"',
  '{"id":1,"name":"a"}x',
  "{'id':1}",
  '{"id":01,"name":"a"}',
  '{"id":+1,"name":"a"}',
  '{"id":1,"name":"a",}',
  '{"id":NaN,"name":"a"}',
  '{"id":1,"name":"a\u0001"}',
  'id=1&name=a',
  '[[[[',
].map((body) => ({
  name: `create refuses ${JSON.stringify(body)} as malformed`,
  method: 'POST',
  path: '/plants',
  body,
  status: 400,
  error: 'malformed_json',
}))

const mediaTypes: Case[] = [
  ...[
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=iso-8859-1;x="y"',
    'application/json ; a=b',
  ].map(
    (contentType): Case => ({
      name: `create takes ${contentType}`,
      method: 'POST',
      path: '/plants',
      body: { id: 1, name: 'a' },
      contentType,
      status: 200,
    }),
  ),
  ...[
    'text/plain',
    'application/jsonp',
    'application/json5; charset=utf-8',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'multipart/form-data',
    '*/*',
    'json',
  ].map(
    (contentType): Case => ({
      name: `create refuses ${contentType}`,
      method: 'POST',
      path: '/plants',
      body: { id: 1, name: 'a' },
      contentType,
      status: 415,
      error: 'unsupported_media_type',
    }),
  ),
  {
    name: 'create refuses a Content-Encoding',
    method: 'POST',
    path: '/plants',
    body: { id: 1, name: 'a' },
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    error: 'unsupported_media_type',
  },
]

const lists: Case[] = [
  {
    name: 'list of no plants is an empty array',
    method: 'GET',
    path: '/plants',
    status: 200,
    json: [],
    answers: { 'content-type': 'application/json', link: null },
  },
  ...['0', '1', '10', '2147483647'].map(
    (limit): Case => ({
      name: `list takes limit=${limit}`,
      method: 'GET',
      path: `/plants?limit=${limit}`,
      status: 200,
      json: [],
    }),
  ),
  ...[
    '',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e1',
    '2147483648',
    '99999999999999999999',
    'ten',
    '1,2',
    ' 1',
    '0x1',
    '-0',
    'Infinity',
    '١',
  ].map(
    (limit): Case => ({
      name: `list refuses limit=${limit}`,
      method: 'GET',
      path: `/plants?limit=${encodeURIComponent(limit)}`,
      status: 400,
      error: 'invalid_limit',
    }),
  ),
  {
    name: 'list refuses a repeated limit',
    method: 'GET',
    path: '/plants?limit=1&limit=1',
    status: 400,
    error: 'invalid_limit',
  },
  {
    name: 'list refuses a bare limit',
    method: 'GET',
    path: '/plants?limit',
    status: 400,
    error: 'invalid_limit',
  },
  ...['', 'x', '7', '00000000000003e', '00000000000003E8', '00000000000003e8 ', '0'.repeat(17)].map(
    (cursor): Case => ({
      name: `list refuses cursor=${cursor}`,
      method: 'GET',
      path: `/plants?cursor=${encodeURIComponent(cursor)}`,
      status: 400,
      error: 'invalid_cursor',
    }),
  ),
  {
    name: 'list refuses a repeated cursor',
    method: 'GET',
    path: '/plants?cursor=0000000000000001&cursor=0000000000000002',
    status: 400,
    error: 'invalid_cursor',
  },
  {
    name: 'list ignores parameters it does not know',
    method: 'GET',
    path: '/plants?Limit=x&page=2&limits=3&&=',
    status: 200,
    json: [],
  },
]

const deletes: Case[] = [
  ...['0', '-7', '9223372036854775807', '-9223372036854775808'].map(
    (id): Case => ({
      name: `delete of ${id}, which is not there`,
      method: 'DELETE',
      path: `/plants/${id}`,
      status: 404,
      error: 'plant_not_found',
    }),
  ),
  ...[
    '007',
    '+7',
    '7.0',
    '-0',
    '1e3',
    '9223372036854775808',
    '-9223372036854775809',
    'x',
    '%3',
    '7%2F8',
    '7%20',
    '7,8',
    '0x7',
    '--7',
    '-',
    '%2F',
    '%00',
    '1'.repeat(2000),
    '%E0%A4%A',
    '%D9%A1',
  ].map(
    (id): Case => ({
      name: `delete refuses the id ${id.slice(0, 30)}`,
      method: 'DELETE',
      path: `/plants/${id}`,
      status: 400,
      error: 'invalid_id',
    }),
  ),
  {
    name: 'delete takes no notice of a query',
    method: 'DELETE',
    path: '/plants/7?limit=x',
    status: 404,
    error: 'plant_not_found',
  },
]

const routes: Case[] = [
  ...['GET', 'PUT', 'PATCH', 'POST', 'HEAD'].map(
    (method): Case => ({
      name: `${method} of a plant`,
      method,
      path: '/plants/7',
      status: 405,
      ...(method === 'HEAD' ? {} : { error: 'method_not_allowed' as const }),
      answers: { allow: 'DELETE, OPTIONS' },
    }),
  ),
  ...['PUT', 'PATCH', 'DELETE'].map(
    (method): Case => ({
      name: `${method} of all plants`,
      method,
      path: '/plants',
      status: 405,
      error: 'method_not_allowed',
      answers: { allow: 'GET, HEAD, POST, OPTIONS' },
    }),
  ),
  {
    name: 'OPTIONS of all plants, without a token',
    method: 'OPTIONS',
    path: '/plants',
    token: null,
    status: 204,
    answers: {
      allow: 'GET, HEAD, POST, OPTIONS',
      'content-type': null,
      'access-control-allow-origin': null,
    },
  },
  {
    name: 'OPTIONS of a plant',
    method: 'OPTIONS',
    path: '/plants/7',
    token: null,
    status: 204,
    answers: { allow: 'DELETE, OPTIONS' },
  },
]

const WRITE = { method: 'POST', path: '/plants', body: { id: 1, name: 'a' } }
const READ = { method: 'GET', path: '/plants' }

const authentication: Case[] = [
  ...[
    null,
    'Basic owner-a',
    'Bearer ',
    'Bearer  ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Bearer =',
    'Bearer a=b',
    'Bearer "a"',
    'Bearera b',
    'Token x',
    'Bearer owner-ü',
  ].map(
    (token): Case => ({
      ...READ,
      name: `Authorization: ${token ?? '(none)'}`,
      token,
      status: 401,
      error: 'missing_token',
      answers: { 'www-authenticate': 'Bearer realm="plants"' },
    }),
  ),
  {
    ...READ,
    name: 'a token that the verifier refuses',
    token: 'wrong',
    status: 401,
    error: 'invalid_token',
    answers: { 'www-authenticate': 'Bearer realm="plants", error="invalid_token"' },
  },
  ...['bearer owner-a', 'BEARER   owner-a'].map(
    (token): Case => ({ ...READ, name: `Authorization: ${token}`, token, status: 200 }),
  ),
  {
    ...WRITE,
    name: 'create with a token to read',
    token: 'reader-a',
    status: 403,
    error: 'insufficient_scope',
    answers: {
      'www-authenticate': 'Bearer realm="plants", error="insufficient_scope", scope="plants:write"',
    },
  },
  {
    name: 'delete with a token to read',
    method: 'DELETE',
    path: '/plants/1',
    token: 'reader-a',
    status: 403,
    error: 'insufficient_scope',
  },
  {
    ...READ,
    name: 'list with a token to write',
    token: 'writer-a',
    status: 403,
    error: 'insufficient_scope',
    answers: {
      'www-authenticate': 'Bearer realm="plants", error="insufficient_scope", scope="plants:read"',
    },
  },
  { ...READ, name: 'list with a token to read', token: 'reader-a', status: 200 },
  {
    name: 'the token is checked before the id',
    method: 'DELETE',
    path: '/plants/x',
    token: 'wrong',
    status: 401,
    error: 'invalid_token',
  },
  {
    name: 'the token is checked before the limit',
    method: 'GET',
    path: '/plants?limit=x',
    token: null,
    status: 401,
    error: 'missing_token',
  },
  {
    name: 'the token is checked before the body',
    method: 'POST',
    path: '/plants',
    body: '{',
    contentType: 'text/plain',
    token: null,
    status: 401,
    error: 'missing_token',
  },
  {
    name: 'the scope is checked before the body',
    method: 'POST',
    path: '/plants',
    body: '{',
    token: 'reader-a',
    status: 403,
    error: 'insufficient_scope',
  },
]

const unavailable: Case[] = [
  {
    ...READ,
    name: 'a verifier that throws',
    token: 'broken',
    status: 503,
    error: 'auth_unavailable',
    answers: { 'www-authenticate': null },
  },
  {
    ...READ,
    name: 'a verifier that never answers',
    token: 'silent',
    status: 503,
    error: 'timeout',
  },
  ...[READ, WRITE, { method: 'DELETE', path: '/plants/1' }].flatMap((request): Case[] => [
    {
      ...request,
      name: `${request.method} on a storage that is unavailable`,
      token: 'owner-unreachable',
      status: 503,
      error: 'storage_unavailable',
      answers: { 'retry-after': /^\d+$/ },
    },
    {
      ...request,
      name: `${request.method} on a storage that fails`,
      token: 'owner-buggy',
      status: 500,
      error: 'internal',
      message: /^Something went wrong on the server\.$/,
    },
    {
      ...request,
      name: `${request.method} on a storage that never answers`,
      token: 'owner-hanging',
      status: 503,
      error: 'timeout',
    },
  ]),
]

/** The tables of the contract (src/README.md), row by row. */
export const cases: Record<string, Case[]> = {
  create: [...creates, ...refusedPlants, ...malformed, ...mediaTypes],
  list: lists,
  delete: deletes,
  routes,
  authentication,
  failures: unavailable,
}
