import { describe } from 'vitest'
import { describeContract } from '../contract/contract.ts'
import { hosts } from './hosts.ts'
import { startProgram } from './program.ts'

describe.concurrent('Every runtime', () => {
  for (const [name, command] of Object.entries(hosts)) {
    describeContract(`in ${name}`, () => startProgram(command))
  }
})
