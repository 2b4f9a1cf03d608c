const MiB = 2 ** 20

/** Valid JSON of up to 1 MiB that costs a careless parser of a create much, by name. */
export const costlyBodies = {
  digits: () => `{"id":1,"name":"a","x":${'9'.repeat(MiB - 30)}}`,
  'digits in the id': () => `{"id":${'9'.repeat(MiB - 30)},"name":"a"}`,
  'zeros in the id': () => `{"id":1.${'0'.repeat(MiB - 40)}1,"name":"a"}`,
  'huge exponent': () => '{"id":1e999999999,"name":"a"}',
  'huge negative exponent': () => '{"id":1e-999999999,"name":"a"}',
  'zero with a huge exponent': () => '{"id":0e999999999,"name":"a"}',
  'fraction in the id': () => `{"id":1.0,"name":"a","x":[1${',1'.repeat(MiB / 2 - 30)}]}`,
  'many ids': () => `{"name":"a"${',"id":1.0'.repeat(100_000)}}`,
  'deep arrays, fraction in the id': () =>
    `{"id":1.0,"name":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'escaped quotes': () => `{"id":1.0,"name":"${'\\"'.repeat(500_000)}"}`,
}
