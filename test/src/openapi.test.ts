import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errors } from '../../src/errors.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { storableText } from '../../src/plants/text.ts'

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

test('is valid under the official schema of OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(openApiDocument())).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test("is valid under Redocly's recommended rules, without a warning", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-openapi-'))
  try {
    await writeFile(join(directory, 'openapi.json'), JSON.stringify(document))
    const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
    const lint = ['lint', 'openapi.json', '--extends=recommended', '--format=json']
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...lint], {
      cwd: directory,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    })
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('has the version, the license and the shapes of the specification', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '1.0.0', license: { identifier: 'MIT' } },
    servers: [{ url: '/' }],
  })
  const { schemas } = document.components
  expect(schemas.Plant).toMatchObject({
    properties: { name: { type: 'string' }, tag: { type: 'string' } },
    required: ['name'],
  })
  expect(schemas.Plant.properties).not.toHaveProperty('id')
  expect(schemas.NewPlant).toMatchObject({
    properties: {
      id: { type: 'integer', format: 'int64' },
      name: { type: 'string' },
      tag: { type: 'string' },
    },
    required: ['id', 'name'],
  })
  expect(schemas.Error).toMatchObject({
    properties: { error: { type: 'integer', format: 'int32' }, message: { type: 'string' } },
    required: ['error', 'message'],
  })
})

test('asks for a bearer token in every operation', () => {
  expect(document.components.securitySchemes.bearerAuth).toMatchObject({
    type: 'http',
    scheme: 'bearer',
  })
  for (const { security } of operations) expect(security).toEqual([{ bearerAuth: [] }])
})

test('has every error value of a route that it describes, and nothing else', () => {
  const { route_not_found, method_not_allowed, ...described } = errors
  const text = JSON.stringify({ ...document.paths, ...document.components.responses })
  const values = [...text.matchAll(/"value":\{"error":(\d+)/g)].map(([, value]) => Number(value))
  const expected = Object.values(described).map(({ error }) => error)
  expect([...new Set(values)].sort()).toEqual(expected.sort())
})

test('names the servers that it is given', () => {
  const servers = [{ url: 'https://garden.example/api' }]
  expect(openApiDocument({ servers }).servers).toEqual(servers)
})

test('has types that OpenAPI tools take, to whom any object may have extensions', () => {
  type Extensible = { [extension: `x-${string}`]: unknown }
  const { schemas, responses } = document.components
  const extensible: Extensible[] = [
    ...Object.values(schemas),
    ...Object.values(schemas.NewPlant.properties),
    ...Object.values(responses),
    ...Object.values(responses.Unauthorized.headers ?? {}),
  ]
  expect(extensible).not.toEqual([])
})

test('is a new object each time', () => {
  const mine = openApiDocument()
  mine.components.schemas.Plant.properties = {}
  mine.paths['/plants'].get.parameters.length = 0
  mine.components.responses.Unauthorized.description = ''
  expect(openApiDocument()).toEqual(document)
})

test('allows the text that the store does, in a pattern that every regex engine knows', () => {
  const name = document.components.schemas.NewPlant.properties.name!
  // Neither \u nor \p nor \0: of ECMA-262, RE2, Python, Java and PCRE, each lacks one of them.
  expect(name.pattern).toBe('^[^\\x00]*$')
  const character = fc.constantFrom('\0', '\x01', '\n', 'a', 'é', '\uffff', '☘', '𝒳')
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const text = characters.join('')
      for (const flags of ['', 'u']) {
        expect(new RegExp(name.pattern!, flags).test(text)).toBe(storableText.test(text))
      }
    }),
  )
})
