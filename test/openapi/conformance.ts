import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApiDocument } from '../../src/openapi.ts'

interface Header {
  required?: boolean
  schema: { type: string }
}

interface DeclaredResponse {
  headers?: Record<string, Header>
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>
}

interface Operation {
  responses: Record<string, DeclaredResponse>
}

/**
 * Holds an answer of a running store to the OpenAPI document: its status is declared for the
 * operation, so are its media type and its headers, and its body has the declared shape and nothing
 * besides. Requests that the document doesn't have pass, but for unknown methods of known paths.
 *
 * Throws an AssertionError, and for what is wrong with the body, the body's stream fails with one.
 *
 * @param request its method and absolute URL
 * @param basePath where the store is mounted
 * @returns the same answer; its body is checked while it is read, so a stream stays one
 */
export function checkAgainstDocument(
  request: { method: string; url: string },
  response: Response,
  basePath = '',
): Response {
  const { method } = request
  const methods = findPath(new URL(request.url).pathname, basePath)
  if (!methods || method === 'OPTIONS') return response

  // RFC 9110, section 9.3.2: HEAD is answered as GET, without the body.
  const operation = methods[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!operation) {
    assert.equal(response.status, 405, `${method} is not in the document`)
    assert.ok(response.headers.has('allow'), '405 without Allow')
    return response
  }
  const declared = resolve(operation.responses[response.status])
  assert.ok(declared, `${method} ${request.url}: status ${response.status} is not declared`)
  checkHeaders(declared.headers ?? {}, response)
  return method === 'HEAD' ? response : checkBody(declared, response)
}

const document = loadDocument()
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  schemas: { shapes: { $defs: document.components.schemas } },
})
addFormats.default(ajv)

/**
 * The document, made strict: an object has no members but those that its schema names. References to
 * shapes go to where the validator has them.
 */
function loadDocument() {
  const text = JSON.stringify(openApiDocument(), (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  )
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"shapes#/$defs/'))
}

function findPath(pathname: string, basePath: string): Record<string, Operation> | undefined {
  if (!pathname.startsWith(basePath)) return undefined
  const path = pathname.slice(basePath.length)
  for (const [template, operations] of Object.entries<object>(document.paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
    if (pattern.test(path)) return operations as Record<string, Operation>
  }
  return undefined
}

function resolve(declared: DeclaredResponse | { $ref: string } | undefined) {
  if (!declared || !('$ref' in declared)) return declared
  const name = declared.$ref.replace('#/components/responses/', '')
  return document.components.responses[name] as DeclaredResponse
}

function checkHeaders(declared: Record<string, Header>, { status, headers }: Response): void {
  for (const [name, { required, schema }] of Object.entries(declared)) {
    const value = headers.get(name)
    if (value === null) assert.ok(!required, `${status} without the header ${name}`)
    else assertValid(schema, schema.type === 'integer' ? Number(value) : value, name)
  }
  for (const name of ['link', 'retry-after', 'www-authenticate', 'accept-post']) {
    const isDeclared = Object.keys(declared).some((header) => header.toLowerCase() === name)
    assert.ok(isDeclared || !headers.has(name), `${status} with ${name}, which is not declared`)
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
      assert.ok(values.includes(body.error), `${body.error} is not declared for this answer`)
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
