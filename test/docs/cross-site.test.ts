import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore, type PlantStoreOptions } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listening } from '../shared/listening.ts'
import { useBrowser } from './browser.ts'

const chromium = useBrowser()

/** What a page of another site can send without asking, and what the browser asks for first. */
const ATTACKS = `
  const body = '{"id":8,"name":"Evil"}'
  const json = { 'content-type': 'application/json' }
  const tries = [
    { method: 'POST', mode: 'no-cors', body },
    { method: 'POST', mode: 'no-cors', body, headers: json },
    { method: 'POST', body },
    { method: 'POST', body, headers: json },
    { method: 'POST', body: new Blob([body], { type: 'application/json' }), mode: 'no-cors' },
    { method: 'DELETE', path: '/7' },
    { method: 'DELETE', path: '/7', mode: 'no-cors' },
    { mode: 'no-cors' },
    {},
  ]
  const read = tries.map(({ path = '', ...init }) =>
    fetch(target + path, { ...init, credentials: 'include' }).then((response) => response.text()).catch(() => ''),
  )
  navigator.sendBeacon(target, body)
  navigator.sendBeacon(target, new Blob([body], { type: 'application/json' }))
  const image = new Image()
  image.src = target
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const frame = Object.assign(document.createElement('iframe'), { name: enctype })
    const form = Object.assign(document.createElement('form'), { method: 'POST', action: target, enctype, target: enctype })
    form.append(Object.assign(document.createElement('input'), { name: '{"id":8,"name":"', value: 'Evil"}' }))
    document.body.append(frame, form)
    form.submit()
  }
  Promise.all(read).then((texts) => texts.join(''))
`

// With and without CORS for a site that the app trusts.
describe.each<[string, PlantStoreOptions]>([
  ['without cors', {}],
  ['with cors for one origin', { cors: { origin: 'https://friend.example' } }],
  ['with cors for all', { cors: { origin: '*' } }],
])('A page of another site, %s', (_, options) => {
  it('neither changes nor reads the plants of a user whose cookie the browser sends', async () => {
    const storage = memoryStorage()
    await storage.create('alice', { id: 7n, name: 'Secret' })
    const store = createPlantStore(storage, () => null, options)
    const statuses: string[] = []
    const handler = toNodeHandler(store, {
      caller({ headers, method }) {
        const isSignedIn = /session=a1/.test(headers.cookie ?? '')
        statuses.push(`${method} ${isSignedIn ? 'signed in' : 'unknown'}`)
        return isSignedIn ? { owner: 'alice' } : null
      },
    })
    const { port } = await listening((request, response) => {
      if (request.url !== '/sign-in') return handler(request, response)
      // Browsers take localhost for secure.
      response.setHeader('set-cookie', 'session=a1; SameSite=None; Secure; HttpOnly; Path=/')
      response.setHeader('content-type', 'text/html').end('<!doctype html>')
    })
    const evil = await listening((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><body></body>')
    })
    const context = await chromium.browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`http://localhost:${port}/sign-in`)
    // The app's own page may.
    const own = `fetch('/plants').then((response) => response.json())`
    expect(await page.evaluate(own)).toEqual([{ name: 'Secret' }])
    statuses.length = 0

    await page.goto(`http://127.0.0.1:${evil.port}/`)
    const read = await page.evaluate(
      `{ const target = 'http://localhost:${port}/plants'; ${ATTACKS} }`,
    )
    expect(read).not.toContain('Secret')
    // The attack is one: its cookie has come.
    await expect.poll(() => statuses).toContain('POST signed in')
    await expect.poll(() => statuses).toContain('GET signed in')
    await page.waitForLoadState('networkidle')
    expect(statuses.filter((status) => status.startsWith('DELETE'))).toEqual([])
    expect(storage.list('alice', { limit: 9 })).toEqual([{ id: 7n, name: 'Secret' }])
  })
})
