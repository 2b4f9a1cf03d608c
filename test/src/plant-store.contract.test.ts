import { describeContract } from '../contract/contract.ts'
import { createContractStore } from '../contract/fixture.ts'

describeContract('through fetch', async () => ({
  url: 'http://localhost',
  fetch: createContractStore().fetch,
}))
