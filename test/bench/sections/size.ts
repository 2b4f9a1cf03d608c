import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bundleSize, CLIENT, WORKER } from '../bundle-size.ts'
import { median, number, type Row, type Section, spread, takeTurns, timeOf } from '../figures.ts'

const run = promisify(execFile)

/** Measures the size of the plant store, and the time to load it. */
export const size: Section = {
  name: 'size',
  about: 'size of the Worker and of the client, and time to import',
  run: async () => [
    await bundleRow('Worker bundle (core and D1)', WORKER, 17),
    await bundleRow('client bundle', CLIENT, 2.1),
    await importRow('plant-store'),
    await importRow('plant-store/node'),
  ],
}

async function bundleRow(work: string, source: string, atMost: number): Promise<Row> {
  const value = await bundleSize(source)
  return { work, subject: 'minified and gzipped', value, unit: 'KiB', atMost }
}

/** Measures how much longer Node runs with the import of an entry than with an empty script. */
async function importRow(entry: string): Promise<Row> {
  const nodeWith = (code: string) => () =>
    timeOf(() => run(process.execPath, ['--input-type=module', '--eval', code]))
  const scripts = { bare: nodeWith(''), loading: nodeWith(`await import('${entry}')`) }
  const { bare, loading } = await takeTurns({ rounds: 21 }, scripts)
  return {
    work: `import of ${entry}`,
    subject: 'Node start and import',
    ...spread(loading.map((time, round) => time - bare[round]!)),
    unit: 'ms more than a bare start',
    note: `bare start: ${number(median(bare))} ms`,
  }
}
