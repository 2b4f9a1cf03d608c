import { assertKept, show } from '../framework.ts'
import { atOnce } from '../waiting.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

/** Texts that some system treats as equal to another one. As owners, all of them are different. */
export const lookAlikes = [
  // case folding
  ...words('alice Alice ALICE I i \u0130 \u0131 i\u0307 S s \u017f K k \u212a'),
  ...words('stra\u00dfe strasse STRASSE \u03c3 \u03c2 \u03a3'),
  ...words('\u304b \u30ab \uff76'),
  // trimming and padding
  ...[' alice', 'alice ', 'alice\t', 'alice\n', 'alice\u00a0', '\ufeffalice', 'alice\u200b'],
  ...[' ', '  ', '\t', '\n', '\r\n', '\r', '\u2028', '\u0085'],
  // Unicode normalization
  ...words('caf\u00e9 cafe\u0301 cafe \ufb01n fin \uff41lice a\u00adlice \uac00 \u1100\u1161'),
  ...words('\u00c5 A\u030a \u212b \u2126 \u03a9 \u00b2 2 \u1e9b\u0323'),
  ...words('\u{1f335} \u{1f335}\ufe0f \u{1f469}\u200d\u{1f33e} \u{1f469}\u{1f33e} \u{1f469}'),
  ...words('\ufffd \uffff \u{10ffff}'),
  // wildcards, quotes, escapes, placeholders
  ...words('% _ a% a_ al% * a* ? . .* [a-z] ^ $ a b ab'),
  ...words(`' '' " "" \` o'brien o''brien \\ \\\\ \\' \\n \\u0061 \\x61`),
  ...["' OR ''='", "'; DROP TABLE plants; --"],
  ...words('$1 $$ $& ?1 :owner @owner \u0024{owner} {} {{owner}}'),
  // text that looks like another type
  ...words('0 1 01 1.0 +1 -1 1e0 0x1 1n \u0661 NaN Infinity null NULL undefined true false no ~'),
  ...words('a01 a1.0'),
  ...words('[] "alice" ["alice"] 2024-01-01'),
  ...['[object Object]', '2024-01-01T00:00:00Z'],
  // property names that every object has
  ...words('__proto__ constructor prototype toString valueOf hasOwnProperty length'),
  ...words('__defineGetter__ then default size owner plants'),
  // names that a system gives a meaning
  ...words('admin root system public anonymous guest everyone all any me self'),
  // addresses and ids of accounts
  ...words('alice@a.example alice+1@a.example alice@A.EXAMPLE alice@a.example. a.lice@a.example'),
  ...words('mailto:alice@a.example auth0|a1 a1@ {a1} <a1> urn:a1 A1 a_1 a.1'),
  // entities of HTML
  ...words('&amp; &lt; < a&amp;b &#97; &eacute; \u00e9'),
  // paths and their encodings
  ...words('/ .. ./a a/ a/b a/../b a//b a\\b a%2Fb a%2fb %61 + %20 & a?b a#b'),
  // separators of composite keys
  ...words('a: :a a:1 a:1: a/1 a| a|1 a, a,1 a- a-1 a1 a11 1a a# a. a\uffff'),
  // control characters, without U+0000, which the core refuses
  ...words(
    '\u0001 \u0002 a\u0001 a\b a\v a\f a\u001a a\u001b a\u001f a\u001f1 \u001e \u007f \u0080',
  ),
  // collisions of CRC-32, FNV-1, FNV-1a in 32 and 64 bits, DJB2, DJB2a, SDBM, Murmur3 and Java's hash
  ...words('plumless buckeroo creamwove quists costarring liquid hetairas mentioner'),
  ...words('8yn0iYCKYHlIj4-BwPqk GReLUrM4wMqfg9yzV3KQ playwright snush'),
  ...words('ieqdwwxvy swgwgsnfd trcua uvkab Aa BB'),
]

/** Every storage must keep owners of up to this length, in bytes of UTF-8. `PlantStorage` says so too. */
const SUPPORTED_OWNER_BYTES = 1404

const LONG = Array.from({ length: 160 }, (_, i) => (i * 2654435761).toString(36)).join('.')

/** Texts of up to 1404 bytes of UTF-8 that are equal except for their start, middle, end or length. */
export const longLookAlikes = [
  ...[LONG, `${LONG}a`, `${LONG}b`, `a${LONG}`, `b${LONG}`],
  `${LONG.slice(0, 500)}!${LONG.slice(501)}`,
  ...[LONG.slice(0, 255), LONG.slice(0, 256)],
  // Characters of three and four bytes.
  ...['\u20ac'.repeat(468), `${'\u20ac'.repeat(467)}\u20ad`],
  ...['\u{1f335}'.repeat(351), `\u{1f334}${'\u{1f335}'.repeat(350)}`],
]

/** All of Latin-1 but U+0000, which the core refuses. */
const latin1 = numbered(255, (index) => String.fromCharCode(index + 1))
/** What a composite key may have between its parts: Latin-1, ASCII punctuation twice, words, and a sample beyond. */
const separators = [
  ...[...latin1, '\r\n'],
  ...latin1.filter((character) => /[!-/:-@[-`{-~]/.test(character)).map((mark) => mark + mark),
  ...words('-> => <> :- #@ |: --- ::: :x: :plant: :plants: /plant/ /plants/ #plant#'),
  ...words('\u0301 \u0663 \u200b \u2003 \u2013 \u2014 \u2016 \u2022 \u2026 \u2028 \u203a \u2192'),
  ...words('\u241f \u3000 \u3001 \u30fb \u4e2d \ud7ff \ue000 \ufeff \uff1a \ufffd \uffff'),
  ...words('\u{1f335} \u{1f33f} \u{10ffff}'),
]

/** Which owner a plant is of. */
export const owners: StorageRules = {
  [`owners are compared exactly and in full, up to ${SUPPORTED_OWNER_BYTES} bytes of UTF-8`]:
    async (storage) => {
      const names = [...lookAlikes, ...longLookAlikes]
      // An id that nobody has, since such an owner may have other plants.
      const random = crypto.randomUUID().replaceAll('-', '').slice(16)
      const id = BigInt.asIntN(63, BigInt(`0x${random}`))
      const query = { after: id - 1n, limit: 2 }
      for (const [index, owner] of names.entries()) {
        await storage.create(owner, plantOf(id, `plant ${index}`))
      }
      await storage.reopen()
      for (const [index, owner] of names.entries()) {
        const plants = await storage.unchecked.list(owner, query)
        const found = plants.filter((plant) => plant.id === id)
        const isRight = found.map(({ name }) => name).join() === `plant ${index}`
        const call = `list(${show(owner)}, ${show(query)})`
        assertKept(isRight, `${call} had ${show(found)}, expected the name plant ${index}`)
      }
      for (const owner of names) await storage.delete(owner, id, id)
    },

  'an owner cannot see, block or delete another owner’s plant with that id': async (storage) => {
    const base = newOwner()
    const behind = ['', '-', '1', ':1', '1:'].map((end) => base + end)
    const owners = [...behind, ...['1', '11', '-1', '1:'].map((start) => start + base)]
    const ids = [-11n, -1n, 1n, 11n, 111n]
    for (const owner of owners) {
      await storage.create(owner, ...ids.map((id) => plantOf(id, `${id} of ${owner}`)))
    }
    for (const owner of owners) await storage.list(owner)
    for (const owner of owners) {
      await storage.delete(owner, 1n)
      await storage.list(owner)
    }
  },

  'a list has no plant of an owner whose name begins or ends with this one': async (storage) => {
    const base = newOwner()
    // Behind the separator, a digit: in a range of keys it stands between the smallest and the greatest id.
    const others = separators.flatMap((text) => [`${base}${text}1bob`, `bob1${text}${base}`])
    await atOnce([...[base, ...others].entries()], ([id, owner]) =>
      storage.create(owner, plantOf(BigInt(id), `of ${owner}`)),
    )
    await storage.reopen()
    await storage.list(base, { limit: others.length })
    await atOnce(others, (owner) => storage.list(owner))
  },
}

function words(text: string): string[] {
  return text.split(' ')
}
