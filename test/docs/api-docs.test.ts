import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningServer, serve } from '../../adapters/node.ts'
import { withApiDocs } from '../../examples/api-docs.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { startBrowser } from './browser.ts'

const GREATEST = '9223372036854775807'

let chromium: Awaited<ReturnType<typeof startBrowser>>
let storage: ReturnType<typeof memoryStorage>
let server: RunningServer
let page: Page
/** The URLs that the page asks for. */
let requested: string[]
/** What the console shows of errors and warnings. */
let complaints: string[]

beforeAll(async () => {
  chromium = await startBrowser()
})

afterAll(() => chromium?.close())

beforeEach(async () => {
  storage = memoryStorage()
  const verify = (token: string) => (/^(demo|alice)$/.test(token) ? { owner: token } : null)
  const store = createPlantStore(storage, verify)
  server = await serve(withApiDocs(store, { token: 'demo' }), { port: 0 })

  requested = []
  complaints = []
  page = await chromium.browser.newPage({ viewport: { width: 1200, height: 1500 } })
  page.on('request', (request) => requested.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.setDefaultTimeout(20_000)
  await page.goto(`${server.url}/docs`)
})

afterEach(async () => {
  await page.close()
  await server.close()
  expect(complaints).toEqual([])
  expect(
    requested.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:')),
  ).toEqual([])
})

/** Fills in an operation's form, sends it, and answers with what the page shows of the answer. */
async function execute(operationId: string, fill?: { field: string; text: string }) {
  const operation = page.locator(`#operations-plants-${operationId}`)
  await operation.locator('.opblock-summary-control').click()
  if (fill) await operation.locator(fill.field).fill(fill.text)
  await operation.locator('.execute').click()
  const answer = operation.locator('.live-responses-table tbody')
  await answer.waitFor()
  return answer.innerText()
}

test('the API page authorizes, creates, lists and deletes, ids being exact', async () => {
  await page.locator('.btn.authorize').click()
  const dialog = page.locator('.auth-container')
  await dialog.getByRole('button', { name: 'Remove authorization' }).click()
  await dialog.locator('input').fill('alice')
  await dialog.getByRole('button', { name: 'Apply credentials' }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()

  const plant = `{"id": ${GREATEST}, "name": "Monstera", "tag": "indoor"}`
  expect(await execute('createPlant', { field: 'textarea', text: plant })).toMatch(/^200\b/)
  expect(storage.list('alice', { limit: 2 })).toEqual([
    { id: BigInt(GREATEST), name: 'Monstera', tag: 'indoor' },
  ])
  expect(await execute('listPlants')).toMatch(/^200\b[\s\S]*"name": "Monstera"/)
  expect(await execute('deletePlant', { field: 'input', text: GREATEST })).toMatch(/^204\b/)
  expect(storage.list('alice', { limit: 2 })).toEqual([])
})

test('the API page has the demo token, and an example of each request, ready', async () => {
  expect(await execute('createPlant')).toMatch(/^200\b/)
  expect(await execute('deletePlant')).toMatch(/^204\b/)
})

test('the client works in a browser, with ids exact', async () => {
  await page.route('**/*.ts', async (route) => {
    const path = new URL(route.request().url()).pathname
    const source = await readFile(new URL(`../..${path}`, import.meta.url), 'utf8')
    await route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(source) })
  })
  // As text, since the test runner rewrites imports.
  const use = `import('/test/docs/client-in-browser.ts').then((it) => it.useClient('${GREATEST}'))`
  expect(await page.evaluate(use)).toEqual([
    { name: 'Fern' },
    { name: 'Fern' },
    { plants: [] },
    'reason',
  ])
})
