import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../src/openapi.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mounted, request } from '../mounted.ts'
import {
  allowedJson,
  allowedParameter,
  forbiddenJson,
  forbiddenParameter,
  type Schema,
} from './from-schema.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: { $ref: string } } } }
}

/** The parts of a request: parameters by name, encoded as a client encodes them, and the body. */
type Parts = Record<string, string>

const BODY = 'body'
const { paths, components } = openApiDocument()

// The document doesn't say what a cursor consists of: it comes from the store, by following Link.
const cursors = await followLinks()

for (const [path, methods] of Object.entries(paths)) {
  for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
    describe(operation.operationId, () => {
      it('accepts what the document allows', async () => {
        await fc.assert(
          fc.asyncProperty(requestParts(operation), async (parts) => {
            const response = await send(method, path, parts)
            // 404, since an allowed id need not exist.
            expect(method === 'delete' ? [204, 404] : [200]).toContain(response.status)
          }),
          { numRuns: 500 },
        )
      })

      for (const name of restrictedParts(operation)) {
        it(`refuses what the document forbids in ${name}`, async () => {
          const broken = fc.tuple(requestParts(operation), forbidden(operation, name))
          await fc.assert(
            fc.asyncProperty(broken, async ([parts, value]) => {
              const response = await send(method, path, { ...parts, [name]: value })
              expect(response.status).toBe(400)
            }),
            { numRuns: 500 },
          )
        })
      }
    })
  }
}

/** The parts of which the document forbids something. */
function restrictedParts({ parameters = [], requestBody }: Operation): string[] {
  const restricted = parameters.filter(({ schema }) => !isOpaque(schema))
  return [...restricted.map(({ name }) => name), ...(requestBody ? [BODY] : [])]
}

function isOpaque({ type, pattern }: Schema): boolean {
  return type === 'string' && pattern === undefined
}

function requestParts({ parameters = [], requestBody }: Operation): fc.Arbitrary<Parts> {
  const values = parameters.map(
    ({ name, schema }) =>
      [name, isOpaque(schema) ? fc.constantFrom(...cursors) : allowedParameter(schema)] as const,
  )
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  if (requestBody) {
    values.push([BODY, allowedJson(bodySchema(requestBody))])
    required.push(BODY)
  }
  return fc.record(Object.fromEntries<fc.Arbitrary<string>>(values), { requiredKeys: required })
}

function forbidden({ parameters = [], requestBody }: Operation, part: string) {
  const parameter = parameters.find(({ name }) => name === part)
  if (!parameter) return forbiddenJson(bodySchema(requestBody!))
  const texts = forbiddenParameter(parameter.schema)
  // A URL parser removes path segments of dots, and an empty segment is another path.
  return parameter.in === 'path' ? texts.filter((text) => !/^\.{0,2}$/.test(text)) : texts
}

function bodySchema({ content }: NonNullable<Operation['requestBody']>): Schema {
  const name = content['application/json'].schema.$ref.replace('#/components/schemas/', '')
  return components.schemas[name as keyof typeof components.schemas] as Schema
}

async function send(method: string, template: string, parts: Parts): Promise<Response> {
  const { [BODY]: body, ...parameters } = parts
  const url = new URL('http://localhost')
  url.pathname = template.replace(/\{(\w+)\}/g, (_, name) => {
    const { [name]: value } = parameters
    delete parameters[name]
    return encodeURIComponent(value!)
  })
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)

  const init = { method: method.toUpperCase(), ...(body !== undefined && { body }) }
  const response = await mounted({}).fetch(request(url.pathname + url.search, init))
  await response.text()
  return response
}

/** The cursors of a list with the least, the greatest and a few other ids, one plant a page. */
async function followLinks(): Promise<string[]> {
  const storage = memoryStorage()
  for (const id of [-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
    storage.create('alice', { id, name: 'Fern' })
  }
  const { fetch } = mounted({}, storage)
  const found: string[] = []
  for (let query: string | undefined = '?limit=1'; query; ) {
    const response: Response = await fetch(request(`/plants${query}`))
    query = /<(.*)>/.exec(response.headers.get('link') ?? '')?.[1]
    if (query) found.push(new URLSearchParams(query).get('cursor')!)
  }
  return found
}
