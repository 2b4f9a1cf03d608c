import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypes, { astToString } from 'openapi-typescript'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { errors } from '../../src/errors.ts'
import { createPlantStore } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { installed, run } from '../runtimes/program.ts'
import type { clients } from './clients.ts'

const here = import.meta.dirname
const generated = join(here, 'generated')

beforeAll(async () => {
  await mkdir(generated, { recursive: true })
  const document = join(generated, 'openapi.json')
  await writeFile(document, JSON.stringify(openApiDocument()))
  const types = await openapiTypes(pathToFileURL(document))
  await writeFile(join(generated, 'openapi-types.ts'), astToString(types))
  await generate(document, 'hey-api')
  await generate(join(here, 'published-description.json'), 'published')
})

/** Generates a client with hey-api in a folder of `generated`. */
async function generate(input: string, folder: string): Promise<void> {
  await createClient({
    input,
    output: { path: join(generated, folder), module: { extension: '.ts' } },
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/sdk',
      { name: '@hey-api/typescript', enums: 'javascript' },
    ],
    logs: { level: 'silent' },
  })
}

afterAll(() => rm(generated, { recursive: true, force: true }))

describe('code generated from the document', () => {
  it('has no type errors, and neither has the code that uses it', async () => {
    const check = run(process.execPath, [installed('typescript/bin/tsc'), '-p', here])
    await check.catch(({ stdout }) => expect.fail(stdout))
  })
})

describe.each<[string, keyof typeof clients]>([
  ['openapi-fetch with openapi-typescript', 'openapiFetch'],
  ['@hey-api/openapi-ts', 'heyApi'],
  ['@hey-api/openapi-ts, from the published description', 'published'],
])('%s', (_, name) => {
  let server: RunningServer
  let make: (token: string) => ReturnType<(typeof clients)[typeof name]>
  let client: ReturnType<typeof make>

  beforeEach(async () => {
    const store = createPlantStore(memoryStorage(), staticTokens({ all: 'alice' }))
    server = await serve(store, { port: 0 })
    // Once they are generated.
    const { clients } = await import('./clients.ts')
    make = (token) => clients[name](server.url, token)
    client = make('all')
  })

  afterEach(() => server.close())

  it('creates, lists page by page and deletes', async () => {
    const plants = [
      { id: Number.MIN_SAFE_INTEGER, name: 'Aloe' },
      { id: 7, name: 'Monstera', tag: 'indoor' },
      { id: Number.MAX_SAFE_INTEGER, name: '蕨 🌿', tag: '' },
    ]
    for (const { id, ...plant } of plants) {
      expect(await client.create({ id, ...plant })).toMatchObject({ status: 200, body: plant })
    }
    const listed = plants.map(({ id, ...plant }) => plant)
    expect(await client.list()).toEqual({ status: 200, body: listed, link: null })

    const first = await client.list({ limit: 2 })
    expect(first).toMatchObject({ status: 200, body: listed.slice(0, 2) })
    const cursor = /cursor=(\w+)/.exec(first.link!)![1]!
    expect(await client.list({ limit: 2, cursor })).toEqual({
      status: 200,
      body: listed.slice(2),
      link: null,
    })
    for (const { id } of plants) {
      expect(await client.delete(id)).toMatchObject({ status: 204, body: undefined })
    }
    expect(await client.list()).toMatchObject({ status: 200, body: [] })
  })

  const failures: [keyof typeof errors, () => Promise<unknown>][] = [
    ['invalid_plant', () => client.create({ id: 1, name: '\0' })],
    ['plant_not_found', () => client.delete(404)],
    ['invalid_token', () => make('wrong').list()],
  ]

  it.each(failures)('gets the failure %s', async (name, call) => {
    const { error, status } = errors[name]
    expect(await call()).toMatchObject({ status, body: { error, message: expect.any(String) } })
  })
})

it("The document is valid under Redocly's recommended rules, without a warning", async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(openApiDocument())
  expect(await lintFromString({ source, absoluteRef: 'openapi.json', config })).toEqual([])
})
