import { describeServe } from './describe-serve.ts'

describeServe(
  'Deno',
  'deno run --allow-net --allow-read --allow-env=__STRYKER_ACTIVE_MUTANT__ test/runtimes/entries/closing.ts',
)
