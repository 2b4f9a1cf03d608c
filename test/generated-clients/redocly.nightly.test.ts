import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/openapi.ts'

it("The OpenAPI document is valid under Redocly's recommended rules, without a warning", async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(openApiDocument())
  expect(await lintFromString({ source, absoluteRef: 'openapi.json', config })).toEqual([])
})
