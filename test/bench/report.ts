import { writeFileSync } from 'node:fs'
import { writeBetween } from '../docs/guides/markers.ts'
import { type Figure, number, passes } from './figures.ts'
import { plot } from './plot.ts'

export interface Results {
  date: string
  machine: {
    cores: number
    cpu: string
    memoryGiB: number
    system: string
    node: string
    /** Whether servers and load have a core each. */
    pinned: boolean
  }
  figures: Figure[]
}

/** The figures as a Markdown table, which reads well in a terminal too. */
export function toTable({ date, machine, figures }: Results): string {
  const rows = figures.map((figure) => [
    figure.work,
    figure.subject,
    `${number(figure.value)} ${figure.unit}`,
    figure.low === undefined ? '' : `${number(figure.low)} to ${number(figure.high!)}`,
    target(figure),
    { true: 'met', false: '**missed**', undefined: '' }[`${passes(figure)}`]!,
    figure.note ?? '',
  ])
  const header = ['Work', 'Who', 'Median', 'Quartiles', 'Target', '', 'In this run']
  const widths = header.map((title, i) =>
    Math.max(...[header, ...rows].map((row) => row[i]!.length), title.length),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  return [
    line(header),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    `${date}, ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}${machine.pinned ? ', servers and load each on a core of their own' : ''}.`,
  ].join('\n')
}

function target({ atMost, atLeast, unit }: Figure): string {
  if (atMost !== undefined) return `<= ${number(atMost)} ${unit}`
  if (atLeast !== undefined) return `>= ${number(atLeast)} ${unit}`
  return ''
}

/** The figures that README shows. */
export function toSummary({ figures }: Results): string {
  function value(work: string, subject: string): string {
    return number(figures.find((one) => one.work === work && one.subject === subject)!.value)
  }
  const list = (subject: string) => value('list 10 over HTTP', subject)
  const create = (subject: string) => value('create over HTTP', subject)
  const growth = value('list of 1000000 plants', 'peak memory growth')
  const commits = value('durable SQLite creates, 64 at once', 'plant-store')
  const size = (bundle: string) => value(bundle, 'minified and gzipped')
  return `\
- A list of 10 plants costs ${list('plant-store')} × and a create ${create('plant-store')} × the server CPU of hand-written \`node:http\`. The same work costs ${list('Fastify')} × and ${create('Fastify')} × with Fastify, ${list('Express')} × and ${create('Express')} × with Express.
- While a million plants are listed, memory grows by ${growth} MiB. Durable SQLite creates, 64 at once: ${commits} × as many as with a commit each.
- A Worker with the core and D1 is ${size('Worker bundle (core and D1)')} KiB, the client ${size('client bundle')} KiB, minified and gzipped.`
}

const here = new URL('./', import.meta.url)

/** Keeps the figures beside the benchmark, and shows them in the guides between their markers. */
export function writeResults(results: Results): void {
  writeFileSync(new URL('results.json', here), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(new URL('results.svg', here), plot(results))
  writeBetween('test/bench/README.md', 'bench', toTable(results))
  writeBetween('README.md', 'speed', toSummary(results))
}
