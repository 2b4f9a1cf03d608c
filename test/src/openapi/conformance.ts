import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isInt64 } from '../../../src/lib/int64.ts'
import { openApiDocument } from '../../../src/openapi.ts'

interface Header {
  required?: boolean
  schema: { type: string }
}

interface DeclaredResponse {
  headers?: Record<string, Header>
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>
}

interface Operation {
  parameters?: { name: string; in: 'path' | 'query'; schema: Header['schema'] }[]
  requestBody?: unknown
  responses: Record<string, DeclaredResponse>
}

/**
 * Checks a response of a running store against the OpenAPI document. Its status, media type and headers
 * must be declared for the operation, and its body must have the declared shape, without other members.
 * Requests to other paths pass. Unknown methods of known paths must get a 405.
 *
 * Throws an AssertionError. If the body is wrong, its stream fails with one.
 *
 * @param request its method and its absolute URL
 * @param basePath where the store is mounted
 * @returns the same response. Its body is checked while it is read, so a stream stays a stream
 */
export function checkAgainstDocument(
  request: { method: string; url: string },
  response: Response,
  basePath = '',
): Response {
  const { method } = request
  const { pathname } = new URL(request.url)
  const operations = operationsOf(pathname, basePath)
  if (!operations || method === 'OPTIONS') return response

  // RFC 9110, section 9.3.2: HEAD is answered as GET, without the body.
  const operation = operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!operation) {
    assert.equal(response.status, 405, `${method} is not in the document`)
    checkHeaders({ Allow: { required: true, schema: { type: 'string' } } }, response)
    return response
  }
  const declared = resolve(operation.responses[response.status])
  assert.ok(declared, `${method} ${request.url}: status ${response.status} is not declared`)
  checkHeaders(declared.headers ?? {}, response)
  return method === 'HEAD' ? response : checkBody(declared, response)
}

/** Whether the document allows the path, the query and the body, if it is JSON, of a request to an operation. */
export function isAllowed(
  { method, url }: { method: string; url: string },
  body: unknown,
): boolean {
  const { pathname, searchParams } = new URL(url)
  const { parameters = [], requestBody } = operationsOf(pathname, '')![method.toLowerCase()]!
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  const id = /%(?![\da-f]{2})/i.test(segment) ? segment : decodeURIComponent(segment)
  for (const { name, in: place, schema } of parameters) {
    const values = (place === 'path' ? [id] : searchParams.getAll(name)).map((text) =>
      schema.type === 'integer' ? toNumber(text) : text,
    )
    const value = values.length > 1 ? values : values[0]
    if (value !== undefined && !ajv.validate(schema, value)) return false
  }
  return !requestBody || ajv.validate({ $ref: 'requests#/$defs/NewPlant' }, body)
}

/** The number that a text is in canonical decimals, if it is one. A double can't tell the ends of int64. */
function toNumber(text: string): unknown {
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return text
  return isInt64(BigInt(text)) ? Number(text) : 'beyond int64'
}

const document = loadDocument()
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  schemas: {
    shapes: { $defs: document.components.schemas },
    // Requests may have other members.
    requests: { $defs: openApiDocument().components.schemas },
  },
})
addFormats.default(ajv)

/**
 * Loads the document in a strict form: objects may only have the members that their schemas name.
 * References to schemas point to where the validator has them.
 */
function loadDocument() {
  const text = JSON.stringify(openApiDocument(), (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  )
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"shapes#/$defs/'))
}

function operationsOf(pathname: string, basePath: string) {
  if (!pathname.startsWith(basePath)) return undefined
  const path = pathname.slice(basePath.length)
  const paths = Object.entries<Record<string, Operation>>(document.paths)
  const isPath = (template: string) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  return paths.find(([template]) => isPath(template))?.[1]
}

function resolve(declared: DeclaredResponse | { $ref: string } | undefined) {
  if (!declared || !('$ref' in declared)) return declared
  const name = declared.$ref.replace('#/components/responses/', '')
  return document.components.responses[name] as DeclaredResponse
}

/** Headers that any response may have. Express adds X-Powered-By, and Miniflare compresses. */
const UNDECLARED_HEADERS = new Set([
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-type'],
  ...['cache-control', 'x-content-type-options', 'vary', 'x-powered-by', 'content-encoding'],
])

function checkHeaders(declared: Record<string, Header>, { status, headers }: Response): void {
  for (const [name, { required, schema }] of Object.entries(declared)) {
    const value = headers.get(name)
    if (value === null) assert.ok(!required, `${status} without the header ${name}`)
    else assertValid(schema, schema.type === 'integer' ? Number(value) : value, name)
  }
  const known = new Set(Object.keys(declared).map((name) => name.toLowerCase()))
  for (const name of headers.keys()) {
    const isKnown = known.has(name) || UNDECLARED_HEADERS.has(name)
    assert.ok(
      isKnown || name.startsWith('access-control-'),
      `${status} with ${name}, which is not declared`,
    )
  }
}

function checkBody(declared: DeclaredResponse, response: Response): Response {
  const type = response.headers.get('content-type')
  if (!declared.content) {
    assert.equal(type, null, `${response.status} with a content type, unlike the document`)
    assert.equal(response.body, null, `${response.status} with a body, unlike the document`)
    return response
  }
  const content = declared.content[type ?? '']
  assert.ok(content, `${response.status} with the undeclared content type ${type}`)

  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const check = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true })
      controller.enqueue(chunk)
    },
    flush() {
      const body = JSON.parse(text + decoder.decode())
      assertValid(content.schema, body, 'body')
      if (response.status < 400) return
      const values = Object.values(content.examples!).map(({ value }) => (value as any).error)
      assert.ok(values.includes(body.error), `${body.error} is not declared for this response`)
    },
  })
  const checked = new Response(response.body!.pipeThrough(check), response)
  Object.defineProperty(checked, 'url', { value: response.url })
  return checked
}

function assertValid(schema: object, value: unknown, what: string): void {
  const valid = ajv.validate(schema, value)
  assert.ok(valid, `${what}: ${ajv.errorsText()} in ${JSON.stringify(value)?.slice(0, 1000)}`)
}
