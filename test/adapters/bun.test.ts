import { describeServe } from './describe-serve.ts'

describeServe('Bun', 'bun test/runtimes/entries/closing.ts')
