import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bundleSizes } from '../../package/bundle-sizes.ts'
import { median, number, type Row, type Section, spread, takeTurns, timeOf } from '../figures.ts'

const run = promisify(execFile)

/** Measures the size of the plant store, and the time to load it. */
export const size: Section = {
  name: 'size',
  about: 'size of the Worker and of the client, and time to import',
  run: async () => [...(await bundleRows()), await importRow('plant-store', 'zod/mini')],
}

async function bundleRows(): Promise<Row[]> {
  const [worker, client] = await bundleSizes()
  const row = { subject: 'minified and gzipped', unit: 'KiB' }
  return [
    { ...row, work: 'Worker bundle (core and D1)', value: worker!.size / 1024, atMost: 17 },
    { ...row, work: 'client bundle', value: client!.size / 1024, atMost: 2.6 },
  ]
}

/** Measures how much longer Node runs with the import of an entry than with that of another module. */
async function importRow(entry: string, other: string): Promise<Row> {
  const nodeWith = (module: string) => () =>
    timeOf(() =>
      run(process.execPath, ['--input-type=module', '--eval', `await import('${module}')`]),
    )
  const times = await takeTurns({ rounds: 21 }, { own: nodeWith(entry), other: nodeWith(other) })
  return {
    work: `import of ${entry}`,
    subject: 'Node start and import',
    ...spread(times.own.map((time, round) => time - times.other[round]!)),
    unit: `ms more than ${other}`,
    atMost: 15,
    note: `start with ${other}: ${number(median(times.other))} ms`,
  }
}
