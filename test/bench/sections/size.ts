import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bundleSize, CLIENT, WORKER } from '../bundle-size.ts'
import { median, quantile, type Row, type Section } from '../figures.ts'

const run = promisify(execFile)

/** Measures the size of the plant store, and the time to load it. */
export const size: Section = {
  name: 'size',
  about: 'size of the Worker and of the client, and time to import',
  run: async () => [
    await bundleRow('Worker bundle (core and D1)', WORKER, 12.5),
    await bundleRow('client bundle', CLIENT, 2),
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
  const bare: number[] = []
  const more: number[] = []
  for (let round = 0; round < 21; round++) {
    const start = await runtimeOf('')
    bare.push(start)
    more.push((await runtimeOf(`await import('${entry}')`)) - start)
  }
  return {
    work: `import of ${entry}`,
    subject: 'Node start and import',
    value: median(more),
    low: quantile(more, 0.25),
    high: quantile(more, 0.75),
    unit: 'ms more than a bare start',
    note: `bare start: ${median(bare).toFixed(0)} ms`,
  }
}

async function runtimeOf(code: string): Promise<number> {
  const begin = performance.now()
  await run(process.execPath, ['--input-type=module', '--eval', code])
  return performance.now() - begin
}
