import { afterAll, beforeAll, describe, it } from 'vitest'
import { testPlantAdapter } from '../../src/testing.ts'
import { testOptions } from './hosts.ts'
import { start } from './workerd.ts'

describe('The contract, in workerd', () => {
  let worker: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    worker = await start()
  })
  afterAll(() => worker?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: worker.url }), testOptions.workerd)
})
