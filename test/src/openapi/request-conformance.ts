import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../../src/openapi.ts'
import { integerBounds, type Schema } from './from-schema.ts'

/** The part of an operation that describes its requests. */
export interface RequestRules {
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: { $ref: string } } } }
}

/** The parts of a request as sent. `body` is undefined if it is not known. */
interface RequestParts {
  path: Record<string, string>
  query: URLSearchParams
  body: unknown
}

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  // The name that references have in the document as conformance.ts loads it.
  schemas: { shapes: { $defs: openApiDocument().components.schemas } },
  // Only as exact as a number: the greatest int64 is parsed as 2 ** 63.
  formats: { int64: { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 63 } },
})

/** Throws an AssertionError that names the part of a request that the document forbids. */
export function checkRequest(
  { parameters = [], requestBody }: RequestRules,
  { path, query, body }: RequestParts,
): void {
  for (const { name, in: place, required, schema } of parameters) {
    const values = place === 'path' ? [decode(path[name]!)] : query.getAll(name)
    const isAllowed =
      values.length === 0 ? !required : values.length === 1 && fits(schema, values[0]!)
    assert.ok(isAllowed, `The document forbids the request's ${name}: ${JSON.stringify(values)}`)
  }
  if (!requestBody || body === undefined || body instanceof ReadableStream) return
  const problem = problemOf(requestBody, body)
  assert.equal(problem, undefined, `The document forbids the request's body: ${problem}`)
}

/** Leaves a malformed percent-encoding as it is. It fits no schema of a path parameter. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Integers in a path or a query must be canonical decimals, and are exact. */
function fits(schema: Schema, text: string): boolean {
  if (schema.type !== 'integer') return ajv.validate(schema, text)
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return false
  const { min, max } = integerBounds(schema)
  return min <= BigInt(text) && BigInt(text) <= max
}

function problemOf(
  { required, content }: NonNullable<RequestRules['requestBody']>,
  body: unknown,
): string | undefined {
  if (body === null) return required ? 'it is missing' : undefined
  let value: unknown
  try {
    value = JSON.parse(jsonOf(body))
  } catch (error) {
    return String(error)
  }
  const { $ref } = content['application/json'].schema
  return ajv.validate($ref, value) ? undefined : ajv.errorsText()
}

function jsonOf(body: unknown): string {
  if (body instanceof Uint8Array) return new TextDecoder('utf-8', { fatal: true }).decode(body)
  // A parser may ignore a byte order mark (RFC 8259, section 8.1).
  return typeof body === 'string' ? body.replace(/^\ufeff/, '') : JSON.stringify(body)
}
