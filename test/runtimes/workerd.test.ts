import { describeContract } from '../contract/contract.ts'
import { start } from './workerd.ts'

describeContract('in workerd', start)
