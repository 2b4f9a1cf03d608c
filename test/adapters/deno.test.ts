import { describeServe } from './describe-serve.ts'

describeServe('Deno', 'deno run --allow-net --allow-read test/runtimes/entries/closing.ts')
