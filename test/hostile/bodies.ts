const MiB = 2 ** 20

/** Bodies of a create that cost a careless parser much, by name. None is kept by the storage. */
export const costlyBodies = {
  digits: () => `{"id":1,"name":"a","x":${'9'.repeat(MiB - 30)}}`,
  'digits in the id': () => `{"id":${'9'.repeat(MiB - 30)},"name":"a"}`,
  'zeros in the id': () => `{"id":1${'0'.repeat(MiB - 40)}1,"name":"a"}`,
  'huge exponent': () => '{"id":1e999999999,"name":"a"}',
  'huge negative exponent': () => '{"id":1e-999999999,"name":"a"}',
  'fraction outside the id': () => `{"id":1,"name":"a","x":[1.0${',1'.repeat(MiB / 2 - 30)}]}`,
  'fraction in the id': () => `{"id":1.0,"name":"a","x":[1${',1'.repeat(MiB / 2 - 30)}]}`,
  'many members': () =>
    `{"id":1.0,"name":"a"${Array.from({ length: 60_000 }, (_, i) => `,"k${i}":1`).join('')}}`,
  'many ids': () => `{"name":"a"${',"id":1.0'.repeat(100_000)}}`,
  'deep arrays': () => nested('1', 100_000),
  'deep arrays, fraction in the id': () => nested('1.0', 100_000),
  'deep objects': () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'opening brackets': () => '['.repeat(MiB - 10),
  escapes: () => `{"id":1,"name":"${'\\u0061'.repeat(170_000)}"}`,
  'escaped quotes': () => `{"id":1,"name":"${'\\"'.repeat(500_000)}"}`,
  spaces: () => `${' '.repeat(MiB - 40)}{"id":1,"name":"a"}`,
  'byte order marks': () => '\uFEFF'.repeat(MiB / 3 - 10),
} satisfies Record<string, () => string>

/** A plant with a member that is nested this deep. */
function nested(id: string, depth: number): string {
  return `{"id":${id},"name":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}}`
}

/** The costly bodies as bytes, which are made when they are first asked for, and kept. */
export const costly = Object.entries(costlyBodies).map(([name, body]) => ({
  name,
  body: once(body),
}))

function once(make: () => string): () => Buffer {
  let bytes: Buffer | undefined
  return () => {
    bytes ??= Buffer.from(make())
    return bytes
  }
}
