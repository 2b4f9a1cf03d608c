import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlantClient } from '../../src/client.ts'
import { useBrowser } from '../docs/browser.ts'
import { installedForTests, type Program, ROOT, startProgram } from '../runtimes/program.ts'

const chromium = useBrowser()
let program: Program
beforeAll(async () => {
  await build({ root: join(ROOT, 'examples/garden'), configFile: false, logLevel: 'error' })
  program = await startProgram('node examples/express.ts', { PORT: '0' })
})
afterAll(() => program?.stop())

async function fill(page: Page, form: string, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await page.locator(`#${form} [name=${name}]`).fill(value)
  }
  await page.locator(`#${form} button`).click()
}

const PLACEHOLDER =
  "getComputedStyle(document.querySelector('[placeholder]'), '::placeholder').color"
const LABEL = "getComputedStyle(document.querySelector('#add label')).color"

describe.each([
  ['a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
  ['a desk', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
] as const)('The garden page on %s', (_, context) => {
  it('asks for the token, adds, lists page by page and removes, and shows what goes wrong', async () => {
    const page = await chromium.browser.newPage(context)
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.setDefaultTimeout(10_000)
    const problem = () => page.getByRole('alert').innerText()
    const names = () => page.locator('#plants li').allInnerTexts()
    try {
      await page.goto(program.url)
      await fill(page, 'enter', { token: 'wrong' })
      await expect.poll(problem).toBe('The token is not valid.')
      await fill(page, 'enter', { token: 'ключ' })
      await expect.poll(problem).toBe('token must be non-empty header text; got string')
      await fill(page, 'enter', { token: '  ' })
      await expect.poll(problem).toMatch(/^Send the header Authorization/)
      await fill(page, 'enter', { token: 'demo-token' })
      await expect.poll(() => page.locator('#empty').isVisible()).toBe(true)
      expect(await problem()).toBe('')
      for (const action of ['Add a plant', 'Remove a plant']) await page.getByText(action).click()
      expect(await page.locator('#add [name=id]').inputValue()).toMatch(/^-?\d{15,}$/)

      const client = createPlantClient({ baseUrl: `${program.url}/api/v1`, token: 'demo-token' })
      for (let id = 1n; id <= 13n; id++) await client.create({ id, name: `Fern ${id}` })
      const id = `${-(2n ** 63n)}`
      await fill(page, 'add', { id, name: '<b>Moss</b>', tag: 'indoor' })
      await expect.poll(async () => (await names()).length).toBe(12)
      expect((await names())[0]).toBe('<b>Moss</b>\nindoor')
      await page.getByRole('button', { name: 'Show more' }).click()
      await expect.poll(async () => (await names()).length).toBe(14)
      await fill(page, 'add', { id, name: 'Moss' })
      await expect.poll(problem).toBe('A plant with this id already exists.')

      // Its id isn't in the list, but this page has added it.
      expect(await page.locator('#added li').allInnerTexts()).toEqual([
        `<b>Moss</b>\nid ${id}\nRemove`,
      ])
      await page.getByRole('button', { name: 'Remove <b>Moss</b>' }).click()
      await expect.poll(async () => (await names())[0]).toBe('Fern 1')
      expect(await page.locator('#added li').count()).toBe(0)
      await fill(page, 'remove', { id })
      await expect.poll(problem).toBe('No plant has this id.')
      for (let id = 1n; id <= 13n; id++) await client.delete(id)

      await fill(page, 'add', { id, name: '  ' })
      expect(await page.locator('#add [name=name]:invalid').count()).toBe(1)
      await fill(page, 'add', { id, name: ' Moss' })
      await expect.poll(() => page.locator('#plants li').allTextContents()).toEqual([' Moss'])
      await client.delete(BigInt(id))

      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width).toBeLessThanOrEqual(context.viewport.width)
      await page.addScriptTag({ path: installedForTests('axe-core/axe.min.js') })
      expect(await page.evaluate('axe.run().then(({ violations }) => violations)')).toEqual([])
      // axe doesn't look at placeholders. It has checked the label, which has the same color.
      expect(await page.evaluate(PLACEHOLDER)).toEqual(await page.evaluate(LABEL))
      expect(complaints).toEqual([])
    } finally {
      await page.close()
    }
  })
})

it('The garden page keeps a plant whose create was carried out, though its response was lost', async () => {
  const page = await chromium.browser.newPage()
  let tries = 0
  await page.route('**/api/v1/plants', async (route) => {
    const isLost = route.request().method() === 'POST' && tries++ === 0
    const response = await route.fetch()
    return isLost ? route.abort() : route.fulfill({ response })
  })
  try {
    await page.goto(program.url)
    await fill(page, 'enter', { token: 'demo-token' })
    await page.getByText('Add a plant').click()
    const id = await page.locator('#add [name=id]').inputValue()
    await fill(page, 'add', { name: 'Moss' })
    await expect.poll(() => page.locator('#plants li').allInnerTexts()).toEqual(['Moss'])
    expect(await page.getByRole('alert').innerText()).toBe('')
    expect(tries).toBe(2)
    const client = createPlantClient({ baseUrl: `${program.url}/api/v1`, token: 'demo-token' })
    await client.delete(BigInt(id))
  } finally {
    await page.close()
  }
})
