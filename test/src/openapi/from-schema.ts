import fc from 'fast-check'

/** The keywords that the document's schemas for requests use. `assertKnown` rejects others. */
export interface Schema {
  type: 'object' | 'string' | 'integer'
  properties?: Record<string, Schema>
  required?: string[]
  pattern?: string
  format?: 'int32' | 'int64'
  minimum?: number
  maximum?: number
}

const CONSTRAINTS = ['type', 'properties', 'required', 'pattern', 'format', 'minimum', 'maximum']
const ANNOTATIONS = ['description', 'examples']

/** JSON texts that the schema allows. Texts, because JavaScript numbers can't hold every int64. */
export function allowedJson(schema: Schema): fc.Arbitrary<string> {
  assertKnown(schema)
  if (schema.type === 'object') return allowedMembers(schema).map(writeObject)
  if (schema.type === 'string') return allowedText(schema).map((value) => JSON.stringify(value))
  // In JSON Schema, a number with a zero fraction is an integer.
  const notation = fc.constantFrom('', '.0', '.000', 'e0', 'E+0')
  return fc.tuple(allowedInteger(schema), notation).map((parts) => parts.join(''))
}

/** JSON texts that the schema forbids. */
export function forbiddenJson(schema: Schema): fc.Arbitrary<string> {
  const otherType = fc
    .jsonValue()
    .filter((value) => !hasType(value, schema.type))
    .map((value) => JSON.stringify(value))
  if (schema.type === 'object') return fc.oneof(otherType, brokenMembers(schema).map(writeObject))
  if (schema.type === 'integer') return fc.oneof(otherType, integerOutside(schema).map(String))
  return fc.oneof(
    otherType,
    forbiddenText(schema).map((value) => JSON.stringify(value)),
  )
}

/** Texts that the schema allows in a path or a query. */
export function allowedParameter(schema: Schema): fc.Arbitrary<string> {
  assertKnown(schema)
  return schema.type === 'integer' ? allowedInteger(schema).map(String) : allowedText(schema)
}

/** Texts that the schema forbids in a path or a query, where integers are canonical decimals. */
export function forbiddenParameter(schema: Schema): fc.Arbitrary<string> {
  if (schema.type === 'string') return forbiddenText(schema)
  const words = fc.string({ unit: 'binary' }).filter((text) => !/^-?\d+$/.test(text))
  const sloppy = allowedInteger(schema).chain((value) =>
    fc.constantFrom(`+${value}`, `00${value}`, `${value}.0`, ` ${value}`, `${value}e0`, `-0`),
  )
  return fc.oneof(words, sloppy, integerOutside(schema).map(String))
}

/** The members of an object: the JSON texts of their values, by name. */
type Members = Record<string, string>

function allowedMembers({ properties = {}, required = [] }: Schema): fc.Arbitrary<Members> {
  const values = Object.entries(properties).map(([name, value]) => [name, allowedJson(value)])
  const named = fc.record(Object.fromEntries(values), { requiredKeys: required as never[] })
  const others = fc.dictionary(
    fc.string({ unit: 'binary' }).filter((name) => !(name in properties)),
    fc.json(),
    { maxKeys: 3 },
  )
  return fc.tuple(others, named).map(([...parts]) => Object.assign({}, ...parts))
}

function brokenMembers(schema: Schema): fc.Arbitrary<Members> {
  const { properties = {}, required = [] } = schema
  return allowedMembers(schema).chain((members) =>
    fc.oneof(
      ...required.map((missing) => {
        const { [missing]: _, ...rest } = members
        return fc.constant(rest)
      }),
      ...Object.entries(properties).map(([name, property]) =>
        forbiddenJson(property).map((value) => ({ ...members, [name]: value })),
      ),
    ),
  )
}

function writeObject(members: Members): string {
  return `{${Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`
}

function allowedText({ pattern }: Schema): fc.Arbitrary<string> {
  if (pattern === undefined) return fc.string({ unit: 'binary' })
  const regex = new RegExp(pattern, 'u')
  // The first covers the pattern's special cases, the second the rest of Unicode.
  return fc.oneof(
    fc.stringMatching(regex),
    ...(regex.test('☘ any text')
      ? [fc.string({ unit: 'binary' }).filter((s) => regex.test(s))]
      : []),
  )
}

function forbiddenText({ pattern }: Schema): fc.Arbitrary<string> {
  if (pattern === undefined) throw new Error('A string without pattern has nothing forbidden')
  const regex = new RegExp(pattern, 'u')
  const text = fc.string({ unit: 'binary' })
  return fc
    .tuple(text, fc.constantFrom('', '\0'), text)
    .map((parts) => parts.join(''))
    .filter((value) => !regex.test(value))
}

function allowedInteger(schema: Schema): fc.Arbitrary<bigint> {
  const { min, max } = integerBounds(schema)
  return fc.oneof(
    fc.bigInt({ min, max }),
    fc.constantFrom(min, max),
    fc.bigInt({ min: 0n, max: 99n }),
  )
}

function integerOutside(schema: Schema): fc.Arbitrary<bigint> {
  const { min, max } = integerBounds(schema)
  return fc.oneof(
    fc.bigInt({ max: min - 1n, min: min - 2n ** 70n }),
    fc.bigInt({ min: max + 1n, max: max + 2n ** 70n }),
    fc.constantFrom(min - 1n, max + 1n),
  )
}

function integerBounds({ format, minimum, maximum }: Schema): { min: bigint; max: bigint } {
  if (format === undefined) throw new Error('An integer without format has no bounds')
  const half = 2n ** (format === 'int32' ? 31n : 63n)
  return { min: BigInt(minimum ?? -half), max: BigInt(maximum ?? half - 1n) }
}

function hasType(value: unknown, type: Schema['type']): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
  return typeof value === type
}

function assertKnown(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (CONSTRAINTS.includes(keyword) || ANNOTATIONS.includes(keyword)) continue
    throw new Error(`The generator doesn't know the keyword ${keyword}`)
  }
}
