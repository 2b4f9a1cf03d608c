import { describeContract } from '../contract/contract.ts'
import { hosts } from './hosts.ts'
import { startProgram } from './program.ts'

for (const [name, command] of Object.entries(hosts)) {
  describeContract(`in ${name}`, () => startProgram(command))
}
