import assert from 'node:assert/strict'
import { type Api, call } from './api.ts'
import { driveByClient } from './client.ts'
import { contract } from './contract.ts'
import { hangUp } from './hang-up.ts'

/** Runs all checks on a store in a running app. Throws an AggregateError with every failure. */
export async function drive(api: Api): Promise<void> {
  const checks = {
    ...contract,
    'serves plant-store/client': driveByClient,
    ...(api.mount.page && { 'shows the plants in a page': showPlants }),
    ...(api.mount.isBuffered ? {} : { 'ends a list whose client hangs up': hangUp }),
  }
  const failures: Error[] = []
  for (const [name, check] of Object.entries(checks)) {
    await check(api).catch((cause) => failures.push(new Error(name, { cause })))
  }
  if (failures.length > 0) throw new AggregateError(failures)
}

/** A page that calls the store in its own process shows what was created over HTTP. */
async function showPlants(api: Api): Promise<void> {
  const body = '{"id":7,"name":"Monstera deliciosa"}'
  assert.equal((await call(api, 'POST', '/plants', { body })).status, 200)
  const page = await fetch(new URL(api.mount.page!, api.url))
  assert.match(await page.text(), /Monstera deliciosa/)
  assert.equal((await call(api, 'DELETE', '/plants/7')).status, 204)
}
