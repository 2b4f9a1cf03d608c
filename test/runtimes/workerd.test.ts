import { afterAll, beforeAll, describe, it } from 'vitest'
import { testPlantAdapter } from '../../src/testing.ts'
import { testOptions } from './hosts.ts'
import { quiet, startWorker } from './workerd-start.ts'

describe('The contract, in workerd', () => {
  let worker: Awaited<ReturnType<typeof startWorker>>
  beforeAll(async () => {
    worker = await startWorker(new URL('workerd-contract-worker.ts', import.meta.url), quiet)
  })
  afterAll(() => worker?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: worker.url }), testOptions.workerd)
})
