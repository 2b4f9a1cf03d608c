import type { StoredPlant } from '../plant.ts'
import { longLookAlikes, lookAlikes } from './look-alikes.ts'
import { newOwner } from './new-owner.ts'
import type { ContractTests, StorageUnderTest } from './storage-under-test.ts'

/** Texts that trimming, parsing, normalizing or escaping would change. */
const fragileTexts = [
  '',
  ...lookAlikes,
  ...longLookAlikes,
  'two\nlines',
  'two\r\nlines',
  'trailing newline\n',
  '\n\n',
  'comma, semicolon; tab\tend',
  // JSON that a parser and a serializer would change.
  ...[
    '{"id":1}',
    '{ "b": 1, "a": 2 }',
    '{"a":1,"a":2}',
    '{"1":0,"0":1}',
    '[1, 2]',
    '[1.0]',
    ' [ ] ',
  ],
  ...[
    '"quoted"',
    '"\\u0061"',
    '"\\/"',
    '1.0',
    '1e2',
    '-0',
    '12345678901234567890',
    '{"__proto__":1}',
  ],
  ...['"unfinished', '{"id":1', 'true ', ' null', '[]]', '{}x'],
  // Text that formats, shells and codecs read as something else.
  ...[
    '&lt;b&gt;',
    '&#65;',
    '+1 +2',
    '1,000.5',
    '1_000',
    '0b1',
    '0o7',
    '1n',
    '12:30',
    'P1D',
    '=1+1',
    '@a',
  ],
  ...[
    'YES',
    'on',
    'Off',
    'TRUE',
    'n/a',
    'None',
    'nil',
    'deleted',
    '__deleted__',
    'tombstone',
    'EOF',
  ],
  ...[
    'YWxpY2U=',
    'a=b&c=d',
    'a;b',
    'a|b',
    '""',
    "''",
    'a""b',
    '\t"a"\t',
    'a\\',
    '\\',
    '\\N',
    '/*',
    '--',
  ],
  '<b>&amp;</b>',
  '007',
  'a: b # c',
  '- a',
  '%s %d %%',
  '$HOME',
  '1e400',
  '9223372036854775807',
  '2024-01-01T00:00:00.000Z',
  ' \u3000 ',
  '\u202eright to left\u202c \u05d0\u05d1\u05d2',
  '\ufdd0\ufffe\u{1fffe}',
  '\u{20bb7}\u{1f1e9}\u{1f1ea}',
  `z${'\u0301'.repeat(50)}`,
]

/** The Basic Multilingual Plane without U+0000, and samples of the other planes, 4096 characters per text. */
const everyCharacter = [
  ...Array.from({ length: 16 }, (_, part) => charactersFrom(part * 0x1000, 1)),
  charactersFrom(0x1f000, 1),
  charactersFrom(0xe0000, 1),
  charactersFrom(0x10000, 0x100),
]

function charactersFrom(first: number, step: number): string {
  const codes = Array.from({ length: 0x1000 }, (_, index) => first + index * step)
  const storable = codes.filter((code) => code !== 0 && (code < 0xd800 || code > 0xdfff))
  return String.fromCodePoint(...storable)
}

export const texts: ContractTests = {
  'names and tags are returned unchanged': async (storage) => {
    const plants = fragileTexts.map((text, index) => ({
      id: BigInt(index),
      name: text,
      tag: fragileTexts[fragileTexts.length - 1 - index]!,
    }))
    await mustKeep(storage, plants)
  },

  'every character of a name or tag is preserved': async (storage) => {
    const plants = everyCharacter.flatMap((text, index) => [
      { id: BigInt(2 * index), name: text },
      { id: BigInt(2 * index + 1), name: 'tag', tag: text },
    ])
    await mustKeep(storage, plants)
  },

  'a missing tag stays missing, and an empty tag stays empty': async (storage) => {
    const plants = [
      { id: 1n, name: 'without' },
      { id: 2n, name: 'empty', tag: '' },
      { id: 3n, name: 'undefined', tag: undefined },
      { id: 4n, name: '', tag: '' },
      { id: 5n, name: '' },
      { id: 6n, name: 'null', tag: 'null' },
      { id: 7n, name: 'undefined', tag: 'undefined' },
      { id: 8n, name: 'tag', tag: 'name' },
      { id: 9n, name: 'tag', tag: 'name' },
    ]
    await mustKeep(storage, plants)
  },
}

/** Creates the plants, and expects to find them unchanged, also if the storage is opened twice more. */
async function mustKeep(storage: StorageUnderTest, plants: StoredPlant[]): Promise<void> {
  const alice = newOwner()
  await storage.mustCreate(alice, ...plants)
  await storage.mustListAll(alice, ...plants)
  for (const id of [-1n, -2n]) {
    await storage.reopen()
    await storage.mustListAll(alice, ...plants)
    // A storage may write all its plants again only when one of them changes.
    await storage.mustCreate(alice, { id, name: 'temporary' })
    await storage.mustDelete(alice, id)
  }
  await storage.reopen()
  await storage.mustListAll(alice, ...plants)
}
