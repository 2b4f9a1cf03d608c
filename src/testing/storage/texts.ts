import { atOnce } from '../waiting.ts'
import { longLookAlikes, lookAlikes } from './owners.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

/** Texts that trimming, parsing, normalizing or escaping would change. */
const fragileTexts = [
  ...['', ...lookAlikes, ...longLookAlikes],
  ...['two\nlines', 'two\r\nlines', 'trailing newline\n', '\n\n', '\t"a"\t', ' \u3000 '],
  ...['\u202eright to left\u202c \u05d0\u05d1\u05d2', '\ufdd0\ufffe\u{1fffe}'],
  ...['\u{20bb7}\u{1f1e9}\u{1f1ea}', `z${'\u0301'.repeat(50)}`],
  // JSON that a parser and a serializer would change, and what formats, shells and codecs read as something else.
  ...String.raw`{"id":1}¦{ "b": 1, "a": 2 }¦{"a":1,"a":2}¦{"1":0,"0":1}¦{"__proto__":1}¦[1, 2]¦[1.0]
 [ ] ¦"quoted"¦"\u0061"¦"\/"¦"unfinished¦{"id":1¦true ¦ null¦[]]¦{}x
1.0¦1e2¦-0¦1e400¦007¦12345678901234567890¦9223372036854775807¦+1 +2¦1,000.5¦1_000¦0b1¦0o7¦1n
12:30¦2024-01-01T00:00:00.000Z¦P1D¦YES¦on¦Off¦TRUE¦n/a¦None¦nil¦deleted¦__deleted__¦tombstone¦EOF
&lt;b&gt;¦<b>&amp;</b>¦&#65;¦=1+1¦@a¦YWxpY2U=¦a=b&c=d¦a;b¦a|b¦comma, semicolon; tab	end
""¦''¦a""b¦a\¦\¦\N¦/*¦--¦- a¦a: b # c¦%s %d %%¦$HOME`.split(/[¦\n]/),
]

/** The characters of one text: of four bytes each, they still fit a body. */
const TEXT_LENGTH = 0x800
/** The Basic Multilingual Plane without U+0000 and surrogates, emoji, tags, and a sample of the other planes. */
const everyCharacter = [
  ...numbered(0x10000 / TEXT_LENGTH, (part) => charactersFrom(part * TEXT_LENGTH)),
  ...[0x1f000, 0x1f800, 0xe0000].map((first) => charactersFrom(first)),
  charactersFrom(0x10000, 0x200),
]

/** Each text, as the name of one plant and the tag of another. */
const texts = [...fragileTexts, ...everyCharacter]

function charactersFrom(first: number, step = 1): string {
  const codes = numbered(TEXT_LENGTH, (index) => first + index * step)
  const storable = codes.filter((code) => code !== 0 && (code < 0xd800 || code > 0xdfff))
  return String.fromCodePoint(...storable)
}

const PAGE_PLANT_LENGTH = 100_000
// More than a database may put into one response: 1 MiB in DynamoDB, 4 MiB in gRPC by default.
const PAGE_LENGTH = 4_400_000

/**
 * What a name and a tag may be.
 *
 * @param maxBodyBytes the size of the largest body
 */
export function textRules(maxBodyBytes: number): StorageRules {
  // Without the braces, the names of the members, the id and a short tag.
  const room = maxBodyBytes - 100

  return {
    'names and tags are returned unchanged, and a missing tag stays missing': async (storage) => {
      const alice = newOwner()
      const tags = texts.toReversed()
      await storage.create(
        alice,
        ...texts.map((name, index) => ({ id: BigInt(index), name, tag: tags[index]! })),
        { id: 1000n, name: 'undefined', tag: undefined },
        { id: 1001n, name: '' },
      )
      await storage.list(alice)
      // A storage may write all its plants again only when one of them changes.
      for (const id of [-1n, -2n]) {
        await storage.reopen()
        await storage.list(alice)
        await storage.create(alice, plantOf(id, 'temporary'))
        await storage.delete(alice, id)
      }
      await storage.reopen()
      await storage.list(alice)
    },

    'only the last page is short, however large the plants are': async (storage) => {
      const length = Math.min(PAGE_PLANT_LENGTH, room)
      const count = Math.ceil(PAGE_LENGTH / length)
      const alice = newOwner()
      const plants = numbered(count, (id) => plantOf(BigInt(id), repeat(`${id} `, length)))
      await atOnce(plants, (plant) => storage.create(alice, plant))
      await storage.list(alice, { limit: count })
      await storage.list(alice, { after: 0n, limit: count - 2 })
    },

    [`names and tags that fill a body of ${maxBodyBytes} bytes stay whole`]: async (storage) => {
      const alice = newOwner()
      // One byte in front, so that some character straddles every power-of-two boundary.
      await storage.create(
        alice,
        { id: 1n, name: repeat('a', room) },
        { id: 2n, name: `a${repeat('\u{1f335}', room / 2)}` },
        { id: 3n, name: '', tag: `a${repeat('\u20ac', room / 3)}` },
        { id: 4n, name: '', tag: repeat('b', room) },
        { id: 5n, name: repeat('a', room / 2), tag: repeat('b', room / 2) },
      )
      await storage.reopen()
      for (const after of [0n, 1n, 2n, 3n, 4n]) await storage.list(alice, { after, limit: 1 })
    },
  }
}

/** Repeats a text of one or more characters, whole, up to this length. */
function repeat(text: string, length: number): string {
  return text.repeat(Math.floor(length / text.length))
}
