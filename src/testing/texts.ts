import { longLookAlikes, lookAlikes } from './look-alikes.ts'
import type { ContractTests } from './storage-under-test.ts'

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
  '{"id":1}',
  '"quoted"',
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
    await storage.mustCreate('alice', ...plants)
    await storage.mustListAll('alice', ...plants)
  },

  'every character of a name or tag is preserved': async (storage) => {
    const plants = everyCharacter.flatMap((text, index) => [
      { id: BigInt(2 * index), name: text },
      { id: BigInt(2 * index + 1), name: 'tag', tag: text },
    ])
    await storage.mustCreate('alice', ...plants)
    await storage.mustListAll('alice', ...plants)
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
    ]
    await storage.mustCreate('alice', ...plants)
    await storage.mustListAll('alice', ...plants)
  },
}
