import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bundleSizes } from '../../package/bundle-sizes.ts'
import { median, number, type Row, spread, takeTurns, timeOf } from '../figures.ts'

const execute = promisify(execFile)

/** The size of the Worker and of the client, and the time to import the plant store: all of the built package. */
export async function size(): Promise<Row[]> {
  const [worker, client] = await bundleSizes()
  const packed = { subject: 'minified and gzipped', unit: 'KiB' }
  return [
    { ...packed, work: 'Worker bundle (core and D1)', value: worker!.size / 1024, atMost: 17 },
    { ...packed, work: 'client bundle', value: client!.size / 1024, atMost: 2.6 },
    await importRow(),
  ]
}

/** How much longer Node runs with an import of the plant store than with one of zod/mini. */
async function importRow(): Promise<Row> {
  const timeToImport = (module: string) => () =>
    timeOf(() =>
      execute(process.execPath, ['--input-type=module', '--eval', `await import('${module}')`]),
    )
  const imports = ['plant-store', 'zod/mini'].map(timeToImport)
  const [own, zod] = await takeTurns({ rounds: 21 }, imports)
  return {
    work: 'import of plant-store',
    subject: 'Node start and import',
    ...spread(own!.map((time, round) => time - zod![round]!)),
    unit: 'ms more than zod/mini',
    atMost: 15,
    note: `start with zod/mini: ${number(median(zod!))} ms`,
  }
}
