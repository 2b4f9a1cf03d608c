import { describe, expect, it } from 'vitest'
import { errors } from '../../src/errors.ts'
import { access } from '../../src/testing/adapter/access.ts'
import { bodies } from '../../src/testing/adapter/bodies.ts'
import { creates } from '../../src/testing/adapter/creates.ts'
import {
  type Answer,
  fieldsOf,
  parseJson,
  type TestRequest,
} from '../../src/testing/adapter/exchange.ts'
import { hostAt } from '../../src/testing/adapter/host.ts'
import { lists } from '../../src/testing/adapter/lists.ts'
import { paths } from '../../src/testing/adapter/paths.ts'
import { plants } from '../../src/testing/adapter/plants.ts'
import { checkRule } from '../../src/testing/adapter/rule.ts'
import { createAdapterTestStore } from '../../src/testing/adapter/test-store.ts'
import { checkAgainstDocument, isAllowed } from './openapi/conformance.ts'

// The rules that need no socket. Each response must be one that the OpenAPI document declares, and the document must
// allow the parameters and the plants that the store takes, and no others.
const { 'body-limit': bodyLimit } = bodies
const { 'failing-wrapper': _, ...authorization } = access
const { link, head, 'long-list': longList } = lists
const rules = { ...creates, ...paths, ...authorization, ...plants, link, head, bodyLimit, longList }

const store = createAdapterTestStore()

async function send(sent: TestRequest): Promise<Answer> {
  const { method, path, body } = sent
  const headers = new Headers()
  for (const [name, value] of fieldsOf(sent)) headers.append(name, value)
  const url = `http://localhost${path}`
  const init = { method, headers, body: body as BodyInit }
  const response = await store.fetch(new Request(url, init))
  const checked = checkAgainstDocument({ method, url }, response)
  const text = await checked.text()
  const error: number | undefined = Object(parseJson(text)).error
  const isRefused = error === errors.invalid_limit.error || error === errors.invalid_id.error
  const isTaken = checked.ok || error === errors.plant_not_found.error
  if ((isTaken || isRefused) && ['GET', 'POST', 'DELETE'].includes(method)) {
    const plant = parseJson(new TextDecoder().decode(Buffer.from(body ?? '')))
    expect(isAllowed({ method, url }, plant)).toBe(isTaken)
  }
  const { status } = checked
  return { status, headers: new Map(checked.headers), text, isComplete: true }
}

describe('The contract, through fetch', () => {
  const host = { ...hostAt(new URL('http://localhost'), '1.1', 5000), send }

  for (const [name, rule] of Object.entries(rules)) {
    it(`${name}: ${rule!.says}`, () => checkRule(host, rule!))
  }
})
