import { afterAll, beforeAll, describe, it } from 'vitest'
import { testPlantAdapter } from '../../src/testing.ts'
import { hosts, tested, testOptions } from './hosts.ts'
import { type Program, startProgram } from './program.ts'

describe.each(tested(hosts))('The contract, in %s', (name, command) => {
  const mountPath = name.startsWith('Elysia') ? '/api' : ''
  let program: Program
  beforeAll(async () => {
    program = await startProgram(command)
  })
  afterAll(() => program?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: program.url + mountPath }), testOptions[name])
})
