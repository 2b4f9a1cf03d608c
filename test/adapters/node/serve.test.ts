import { describeServe } from '../describe-serve.ts'

describeServe('Node', `${process.execPath} test/runtimes/entries/closing.ts`)
