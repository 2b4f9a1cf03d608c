import type { Api } from './api.ts'
import { driveByClient } from './client.ts'
import { contract } from './contract.ts'
import { hangUp } from './hang-up.ts'

/** Runs all checks on a store in a running app. Throws an AggregateError with every failure. */
export async function drive(api: Api): Promise<void> {
  const checks = {
    ...contract,
    'serves plant-store/client': driveByClient,
    ...(api.mount.isBuffered ? {} : { 'ends a list whose client hangs up': hangUp }),
  }
  const failures: Error[] = []
  for (const [name, check] of Object.entries(checks)) {
    await check(api).catch((cause) => failures.push(new Error(name, { cause })))
  }
  if (failures.length > 0) throw new AggregateError(failures)
}
