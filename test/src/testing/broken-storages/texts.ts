import type { StoredPlant } from '../../../../src/plant.ts'
import { type Broken, deciding, mapValues, prefixed, storageOf } from './broken.ts'

const losses = mapValues(
  prefixed('lose ', {
    'what XML lacks': /[\b\v\f]/g,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this character is lost.
    'end-of-file characters': /\u001a/g,
    'C1 control characters': /[\u0086-\u009f]/g,
    'private-use characters': /[\ue000-\uf8ff]/g,
    kana: /[\u3040-\u30ff]/g,
    isolates: /[\u2066-\u2069]/g,
    annotations: /[\ufff9-\ufffb]/g,
    'tag characters': /[\u{e0020}-\u{e007f}]/gu,
    placeholders: /%[sd]/g,
    'doubled percent signs': /%(?=%)/g,
    'variable names': /^\$[A-Z]+$/,
    comments: / #.*$/,
    'the false of YAML': /^no$/,
  }),
  (pattern) => (text: string) => text.replace(pattern, ''),
)

export const texts: Broken = {
  ...deciding('write', {
    'tags are lost': ({ id, name }) => ({ id, name }),
    'empty tags are lost': (plant) => ({ ...plant, tag: plant.tag || undefined }),
    'missing tags become empty': (plant) => ({ ...plant, tag: plant.tag ?? '' }),
    'missing tags become the text undefined': (plant) => ({ ...plant, tag: String(plant.tag) }),
    'the tag "null" becomes missing': (plant) => ({
      ...plant,
      tag: plant.tag === 'null' ? undefined : plant.tag,
    }),
    'names and tags are swapped': ({ id, name, tag }) =>
      tag === undefined ? { id, name } : { id, name: tag, tag: name },
  }),

  ...changing('name', {
    'are trimmed': (name) => name.trim(),
    'are cut after 255 characters': (name) => name.slice(0, 255),
    'are cut after a million characters': (name) => name.slice(0, 1_000_000),
    'are in NFC': (name) => name.normalize('NFC'),
    'lose carriage returns': (name) => name.replaceAll('\r\n', '\n'),
    'lose characters beyond 16 bits': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
    'lose the byte order mark': (name) => name.replace(/^\ufeff/, ''),
    'are decoded in chunks'(name) {
      const bytes = Buffer.from(name)
      const starts = Array.from({ length: bytes.length / 65536 + 1 }, (_, index) => index * 65536)
      return starts.map((at) => bytes.toString('utf8', at, at + 65536)).join('')
    },
    'are parsed as numbers': (name) => (/^\d+$/.test(name) ? String(Number(name)) : name),
    'are replacement patterns': (name) => 'x'.replace('x', name),
    ...losses,
  }),
  ...changing('tag', {
    'are trimmed': (tag) => tag.trim(),
    'are cut after 65535 characters': (tag) => tag.slice(0, 65535),
    ...losses,
  }),
}

function changing(field: 'name' | 'tag', changes: Record<string, (text: string) => string>) {
  const broken = mapValues(changes, (change) => () => {
    const write = (plant: StoredPlant) => ({
      ...plant,
      [field]: plant[field] && change(plant[field]),
    })
    return storageOf({ write })
  })
  return prefixed(`${field}s `, broken)
}
