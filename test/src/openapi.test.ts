import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import { describe, expect, it } from 'vitest'
import { errors } from '../../src/errors.ts'
import { storableText } from '../../src/lib/text.ts'
import { openApiDocument } from '../../src/openapi.ts'

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

describe('openApiDocument', () => {
  it('is valid under the official schema of OpenAPI 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(openApiDocument())).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it.each([
    [{ server: [] }, 'openApiDocument has no option server; the options are servers, prefix'],
    [{ prefix: 'a/' }, 'prefix must be letters, digits, ".", "_" and "-"; got \'a/\''],
    [{ prefix: 7 }, 'prefix must be letters, digits, ".", "_" and "-"; got a number'],
  ])('rejects the options %o', (options, message) => {
    expect(() => openApiDocument(options as object)).toThrow(new TypeError(message))
  })

  it('has the version, the license and the shapes of the specification', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0', license: { identifier: 'MIT' } },
      servers: [{ url: '/' }],
    })
    const { Plant, NewPlant, Error: Failure } = document.components.schemas
    expect(Plant.required).toEqual(['name'])
    expect(NewPlant.required).toEqual(['id', 'name'])
    expect(NewPlant.properties.id).toMatchObject({ type: 'integer', format: 'int64' })
    // Other members are ignored.
    expect(NewPlant).not.toHaveProperty('additionalProperties')
    expect(Failure.required).toEqual(['error', 'message'])
    // Without an enum: a later version may add values.
    const description = expect.any(String)
    expect(Failure.properties.error).toEqual({ type: 'integer', format: 'int32', description })
  })

  it('requires the body of a create, and has examples that the store accepts and returns', () => {
    const { get, post } = document.paths['/plants']
    const plant = { name: 'Monstera', tag: 'indoor' }
    expect(post.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { example: { id: 7, ...plant } } },
    })
    const created = post.responses[200].content['application/json']
    const listed = get.responses[200].content['application/json']
    expect([created.example, listed.example]).toEqual([plant, [plant, { name: 'Fern' }]])
  })

  it('asks for a bearer token, and has a 429 with Retry-After, in every operation', () => {
    const { securitySchemes, responses } = document.components
    expect(securitySchemes.bearerAuth).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(responses.TooManyRequests.headers).toMatchObject({
      'Retry-After': { required: true, schema: { type: 'integer', minimum: 0 } },
    })
    const tooManyRequests = { $ref: '#/components/responses/TooManyRequests' }
    for (const { security, responses } of operations) {
      expect(security).toEqual([{ bearerAuth: [] }])
      expect(responses[429]).toEqual(tooManyRequests)
    }
  })

  it('has every error value of a route that it describes, and nothing else', () => {
    const { route_not_found, method_not_allowed, ...described } = errors
    const text = JSON.stringify({ ...document.paths, ...document.components.responses })
    const values = [...text.matchAll(/"value":\{"error":(\d+)/g)].map(([, value]) => Number(value))
    const expected = Object.values(described).map(({ error }) => error)
    expect([...new Set(values)].sort()).toEqual(expected.sort())
  })

  it('describes each failure by its error values and their names', () => {
    expect(document.components.responses.ServiceUnavailable.description).toBe(
      '50301 storage_unavailable, 50302 auth_unavailable, 50303 timeout, 50304 overloaded',
    )
    expect(document.paths['/plants'].get.responses[400]).toMatchObject({
      description: '40004 invalid_limit, 40005 invalid_cursor',
    })
  })

  it('lists every error value in a table of Markdown, where <token> is not an HTML tag', () => {
    const rows = Object.entries(errors).map(
      ([name, { error, status, message }]) =>
        `| ${error} | ${status} | ${name} | ${message.replace('<token>', '`<token>`')} |`,
    )
    const table = ['| error | status | name | message |', '|---|---|---|---|', ...rows]
    const { description } = document.components.schemas.Error
    expect(description).toContain(`\n\n${table.join('\n')}`)
  })

  it('has nothing that tools would take for the answer or the query of every operation', () => {
    // Mock servers answer each failure with the examples of Error, and API pages send those of parameters.
    expect(JSON.stringify(document.components.schemas)).not.toContain('example')
    const { parameters } = document.paths['/plants'].get
    expect(parameters!.map(({ schema }) => schema)).toEqual([
      { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 },
      // Opaque, so without a pattern.
      { type: 'string', minLength: 1 },
    ])
    expect(JSON.stringify(parameters)).not.toContain('example')
  })

  it('lists the servers that were passed', () => {
    const servers = [{ url: 'https://garden.example/api' }]
    expect(openApiDocument({ servers }).servers).toEqual(servers)
    expect(openApiDocument({ servers: undefined })).toEqual(document)
  })

  it('can have a prefix before the names of its components and operations, for an app with its own', async () => {
    const prefixed = openApiDocument({ prefix: 'PlantStore' })
    expect(await new Validator().validate(structuredClone(prefixed))).toEqual({ valid: true })
    const { schemas, responses, securitySchemes } = prefixed.components
    for (const names of [schemas, responses, securitySchemes].map(Object.keys)) {
      for (const name of names) expect(name).toMatch(/^PlantStore/)
    }
    expect(schemas.PlantStoreError).toEqual(document.components.schemas.Error)
    expect(prefixed.paths['/plants'].get.security).toEqual([{ PlantStoreBearerAuth: [] }])
    const text = JSON.stringify(prefixed)
      .replaceAll(
        /PlantStore([BLCD])(\w+Auth|\w+Plants?")/g,
        (_, c, rest) => c.toLowerCase() + rest,
      )
      .replaceAll('PlantStore', '')
    expect(JSON.parse(text)).toEqual(document)
  })

  it('has a type that OpenAPI tools take', () => {
    const taken: OpenAPIV3_1.Document = document
    expect(taken.openapi).toBe('3.1.0')
  })

  it('allows the text that the store does, in a pattern that every regex engine knows', () => {
    const { name, tag } = document.components.schemas.NewPlant.properties
    // Neither \u nor \p nor \0: of ECMA-262, RE2, Python, Java and PCRE, each lacks one of them.
    const pattern = '^[^\\x00]*$'
    expect([name!.pattern, tag!.pattern]).toEqual([pattern, pattern])
    for (const text of ['', '\0', 'a\0b', '\x01', '\n', 'a', 'é', '\uffff', '☘', '𝒳']) {
      for (const flags of ['', 'u']) {
        expect(new RegExp(pattern, flags).test(text)).toBe(storableText.test(text))
      }
    }
  })
})
