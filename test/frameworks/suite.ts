import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { createPlantClient } from '../../src/client.ts'
import { type TestPlantAdapterOptions, testPlantAdapter } from '../../src/testing.ts'
import { testsOf } from '../shared/tests-of.ts'
import type { Mount } from './apps.ts'

/** The store in a running app. */
export interface Api {
  /** Where it is mounted, without a slash at the end. */
  readonly url: string
  readonly mount: Mount
  /** What the app has printed. */
  readonly output: () => string
  /** What the host cannot do. */
  readonly limits: TestPlantAdapterOptions['limits']
}

/** The token of every app; it opens the plants of `alice`. */
const TOKEN = 's3cret'

/** Runs all checks on a store in a running app. Throws an AggregateError with every failure. */
export async function drive(api: Api): Promise<void> {
  const checks: Record<string, (api: Api) => Promise<void>> = {
    ...(api.mount.isStateless ? {} : contractOf(api)),
    'serves plant-store/client': driveByClient,
    ...(api.mount.page && { 'shows the plants in a page': showPlants }),
    ...(api.mount.notedBy && { 'runs what the page says': runMiddleware }),
    ...(api.mount.round && { 'is called in its own process': driveInProcess }),
  }
  const failures: Error[] = []
  for (const [name, check] of Object.entries(checks)) {
    await check(api).catch((cause) => failures.push(new Error(name, { cause })))
  }
  if (failures.length > 0) throw new AggregateError(failures)
}

/** The tests of `testPlantAdapter`, by their titles. */
function contractOf({ url, limits }: Api): Record<string, () => Promise<void>> {
  const tests = testsOf((framework) => testPlantAdapter(framework, () => ({ url }), { limits }))
  return Object.fromEntries(tests.map(({ group, title, run }) => [`${group}, ${title}`, run]))
}

async function driveByClient({ url }: Api): Promise<void> {
  const plants = createPlantClient({ baseUrl: url, token: TOKEN })
  const ids = [-(2n ** 63n), 0n, 2n ** 63n - 1n]
  for (const id of ids) await plants.create({ id, name: `plant ${id}`, tag: 'indoor' })
  await assert.rejects(plants.create({ id: 0n, name: 'again' }), { code: 'duplicate_id' })
  const names: string[] = []
  for await (const { name } of plants.list({ limit: 1 })) names.push(name)
  const expected = ids.map((id) => `plant ${id}`)
  assert.deepEqual(names, expected)
  for (const id of ids) await plants.delete(id)
  await assert.rejects(plants.delete(0n), { code: 'plant_not_found' })
}

/** Checks no more than that a list is answered. */
export async function list({ url }: Api): Promise<void> {
  await createPlantClient({ baseUrl: url, token: TOKEN }).listPage()
}

/** A page that calls the store in its own process shows what was created over HTTP. */
async function showPlants({ url, mount }: Api): Promise<void> {
  const plants = createPlantClient({ baseUrl: url, token: TOKEN })
  await plants.create({ id: 7n, name: 'Monstera deliciosa' })
  const page = await fetch(new URL(mount.page!, url))
  assert.match(await page.text(), /Monstera deliciosa/)
  await plants.delete(7n)
}

/** A route that calls the store in its own process returns the statuses. */
async function driveInProcess({ url, mount }: Api): Promise<void> {
  const signal = AbortSignal.timeout(30_000)
  const response = await fetch(new URL(mount.round!, url), { signal })
  assert.equal(await response.text(), '200 400 200 204 404')
}

/** Of what notes a request with `?noted=1`, only what the page of the host names does. */
async function runMiddleware({ url, mount, output }: Api): Promise<void> {
  await (await fetch(`${url}/plants?noted=1`)).text()
  const noted = () => output().match(/(?<=noted by )\w+/g) ?? []
  const deadline = Date.now() + 5000
  while (noted().length === 0 && Date.now() < deadline) await delay(50)
  assert.deepEqual(noted(), [mount.notedBy])
}
