import { CREATE } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, JSON_TYPE, type Row } from './rule.ts'

const NAMED_A = { name: 'a' }

const accepted: [body: string, json: object][] = [
  ['{"id":ID,"name":"Monstera","tag":"indoor"}', { name: 'Monstera', tag: 'indoor' }],
  ['{"id":ID,"name":"","tag":""}', { name: '', tag: '' }],
  [
    '{"id":ID,"name":"🌵 \\u0001\\"\\\\é\\u0065\\u0301","tag":"\\ud83c\\udf35"}',
    { name: '🌵 \u0001"\\ée\u0301', tag: '🌵' },
  ],
  ['{"id":ID,"name":"a","species":{"id":[1e999]},"__proto__":{"tag":1}}', NAMED_A],
  ['{"id":"x","name":"b","id":ID,"name":"a"}', NAMED_A],
  [' \r\n\t{ "id" : ID , "name" : "a" } \n', NAMED_A],
  ['\ufeff{"id":ID,"name":"a"}', NAMED_A],
]

const IDS = 'ID ID.0 IDe0 ID0e-1 ID000E-3 -0.DIGITSe19 -0.00DIGITSE+21'.split(' ')
/** An owner of a deployment may have these. */
const EXTREME_IDS = [
  '9223372036854775807 -9223372036854775808 9007199254740993 -0 1e3 0.5e1 0e999999999',
  '922337203685477580700e-2 0.0009223372036854775807e22',
].flatMap((line) => line.split(' '))

function acceptedRows({ deployment }: HostUnderTest): Row[] {
  const ids = deployment ? IDS : [...IDS, ...EXTREME_IDS]
  const headers = { 'content-type': JSON_TYPE, location: null }
  const numbers = ids.map((id) => [`{"id":${id},"name":"a"}`, NAMED_A] as const)
  return [...accepted, ...numbers].map(([body, json]) => ({ ...CREATE, body, json, headers }))
}

const refused: [message: RegExp, ...bodies: string[]][] = [
  [/id is required/, '{"name":"a"}'],
  [/name is required/, '{"id":ID}'],
  [/name must be a string/, '{"id":ID,"name":7}', '{"id":ID,"name":null}'],
  [/tag must be a string/, '{"id":ID,"name":"a","tag":null}', '{"id":ID,"name":"a","tag":["b"]}'],
  [/name must not contain U\+0000/, '{"id":ID,"name":"a\\u0000b"}'],
  [/tag must not contain .*lone surrogate/, '{"id":ID,"name":"a","tag":"\\udf35"}'],
  [
    /^id must .*; got a string\. name is required\. tag must be a string; got a number\.$/,
    '{"id":"x","tag":3}',
  ],
  [/must be a JSON object/, '[]', `[${CREATE.body}]`, 'null', '7', '"{}"', 'true'],
  [
    /id must be an integer from -9223372036854775808 to 9223372036854775807/,
    ...[
      ...['9223372036854775808', '-9223372036854775809', '1e19', '1e400', '1e999999999', '7.5'],
      ...['1e-1', '"7"', 'true', 'null', '[ID]', '1.00000000000000000001', '9007199254740993.5'],
      '{"id":ID}',
    ].map((id) => `{"id":${id},"name":"a"}`),
  ],
]

const malformed: (string | Uint8Array)[] = [
  ...['', ' ', '{', '{"id":ID,"name":"a"', `${CREATE.body}x`, "{'id':ID}", '{"id":01,"name":"a"}'],
  ...['{"id":+1,"name":"a"}', '{"id":ID,"name":"a",}', '{"id":NaN,"name":"a"}'],
  ...['{"id":ID,"name":"a\u0001"}', 'id=1&name=a', '[[[['],
  // Not UTF-8: a stray byte, an overlong form, a surrogate, a sequence without its end.
  ...['\xff', '\xc0\x80', '\xed\xa0\x80', '\xe2\x82'].map((bytes) =>
    Uint8Array.from(`{"id":1,"name":"${bytes}"}`, (byte) => byte.charCodeAt(0)),
  ),
]

const JSON_TYPES = [
  ...['application/json; charset=utf-8', 'Application/JSON', 'application/json ; a=b'],
  'application/json;charset=iso-8859-1;x="y"',
]
const OTHER_TYPES = [
  ...['text/plain', 'application/jsonp', 'application/json5; charset=utf-8', '*/*', 'json'],
  ...['application/x-www-form-urlencoded', 'application/problem+json', 'multipart/form-data'],
]
const unsupported = { ...CREATE, error: 'unsupported_media_type' } as const

/** What a create may be. */
export const creates: AdapterRules = {
  create: {
    says: 'a create gets 200 and the plant, whatever its text and however its id is written',
    advice: 'readBody must return the bytes as they came: no parsing, no decoding, no trimming.',
    rows: acceptedRows,
  },
  'invalid-plant': {
    says: 'a body that is not a NewPlant gets 400, and the message says why',
    advice:
      'readBody must return the bytes as they came. Send the status and the text of the reply as they are.',
    rows: refused.flatMap(([message, ...bodies]) =>
      bodies.map((body) => ({ ...CREATE, body, error: 'invalid_plant', message })),
    ),
  },
  'malformed-json': {
    says: 'a body that is not JSON in UTF-8 gets 400',
    advice:
      'readBody must return the bytes as they came, and an empty body as no bytes. Turn off the host’s body parser.',
    rows: malformed.map((body) => ({ ...CREATE, body, error: 'malformed_json' })),
  },
  'media-type': {
    says: 'a create needs Content-Type application/json, with or without parameters',
    advice:
      'headers.get must return Content-Type and Content-Encoding as they came. Turn off the host’s body parser.',
    rows: [
      ...JSON_TYPES.map((contentType) => ({ ...CREATE, contentType })),
      { ...CREATE, contentType: null, fields: [['CONTENT-TYPE', 'application/json']] },
      ...OTHER_TYPES.map((contentType) => ({ ...unsupported, contentType })),
      { ...unsupported, fields: [['content-encoding', 'gzip']] },
    ],
  },
}
