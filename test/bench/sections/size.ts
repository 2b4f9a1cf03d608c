import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bundleSize, CLIENT, WORKER } from '../bundle-size.ts'
import type { Figure, Section } from '../figures.ts'
import { built } from '../own.ts'
import { median, spread } from '../statistics.ts'

const run = promisify(execFile)

/** What the plant store weighs, and how long it takes to load. */
export const size: Section = {
  name: 'size',
  about: 'size of the Worker and of the client, and time to import',
  async run(log) {
    const figures: Figure[] = [
      {
        section: 'size',
        work: 'Worker bundle (core and D1)',
        subject: 'minified and gzipped',
        value: await bundleSize(WORKER),
        unit: 'KiB',
        atMost: 12.5,
      },
      {
        section: 'size',
        work: 'client bundle',
        subject: 'minified and gzipped',
        value: await bundleSize(CLIENT),
        unit: 'KiB',
        atMost: 2,
      },
    ]
    if (!built) log('no import time without a build that is as new as the source (npm run build)')
    else
      for (const entry of ['plant-store', 'plant-store/node']) figures.push(await importTime(entry))
    return figures
  },
}

/** How long Node runs to import an entry, against how long it runs for nothing. */
async function importTime(entry: string): Promise<Figure> {
  const empty: number[] = []
  const full: number[] = []
  for (let round = 0; round < 15; round++) {
    empty.push(await runtimeOf(''))
    full.push(await runtimeOf(`await import('${entry}')`))
  }
  const { median: value, low, high } = spread(full.map((time, i) => time / empty[i]!))
  return {
    section: 'size',
    work: `import of ${entry}`,
    subject: 'Node start and import',
    value,
    low,
    high,
    unit: '× bare start',
    note: `${(median(full) - median(empty)).toFixed(0)} ms more`,
  }
}

async function runtimeOf(code: string): Promise<number> {
  const begin = performance.now()
  await run(process.execPath, ['--input-type=module', '--eval', code])
  return performance.now() - begin
}
