import assert from 'node:assert/strict'
import { createPlantClient } from '../../../src/client.ts'
import { type Api, TOKEN } from './api.ts'
import { driveByClient } from './client.ts'
import { contractOf } from './contract.ts'

/** Runs all checks on a store in a running app. Throws an AggregateError with every failure. */
export async function drive(api: Api): Promise<void> {
  const checks: Record<string, (api: Api) => Promise<void>> = {
    ...(api.mount.isStateless ? {} : contractOf(api)),
    'serves plant-store/client': driveByClient,
    ...(api.mount.page && { 'shows the plants in a page': showPlants }),
  }
  const failures: Error[] = []
  for (const [name, check] of Object.entries(checks)) {
    await check(api).catch((cause) => failures.push(new Error(name, { cause })))
  }
  if (failures.length > 0) throw new AggregateError(failures)
}

/** A page that calls the store in its own process shows what was created over HTTP. */
async function showPlants({ url, mount }: Api): Promise<void> {
  const plants = createPlantClient({ baseUrl: url, token: TOKEN })
  await plants.create({ id: 7n, name: 'Monstera deliciosa' })
  const page = await fetch(new URL(mount.page!, url))
  assert.match(await page.text(), /Monstera deliciosa/)
  await plants.delete(7n)
}
