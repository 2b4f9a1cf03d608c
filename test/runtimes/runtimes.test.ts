import { afterAll, beforeAll, describe, it } from 'vitest'
import { testPlantAdapter } from '../../src/testing.ts'
import { isNightly } from '../shared/nightly.ts'
import { hosts, testOptions } from './hosts.ts'
import { type Program, startProgram } from './program.ts'

/** One of each runtime. The others share all but their own line with one of these, or with test/adapters/mounts.test.ts. */
const QUICK = ['Node 24', 'Bun', 'Deno']

const tested = Object.entries(hosts).filter(([name]) => isNightly || QUICK.includes(name))

describe.each(tested)('The contract, in %s', (name, command) => {
  const mountPath = name.startsWith('Elysia') ? '/api' : ''
  let program: Program
  beforeAll(async () => {
    program = await startProgram(command)
  })
  afterAll(() => program?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: program.url + mountPath }), testOptions[name])
})
