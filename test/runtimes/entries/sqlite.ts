import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { testPlantStorage } from '../../../src/testing.ts'

const directory = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'))
let files = 0

const tests: { name: string; run: () => Promise<void> }[] = []
testPlantStorage(
  {
    describe: (_name, define) => define(),
    it: (name, run) => tests.push({ name, run }),
  },
  () => sqliteStorage(join(directory, `${++files}.db`)),
)

// One line a test: its name, and what is wrong.
for (const { name, run } of tests) {
  const problem = await run().then(
    () => null,
    (error) => String(error?.stack ?? error),
  )
  console.log(JSON.stringify({ name, problem }))
}
await rm(directory, { recursive: true })
