import { writeFileSync } from 'node:fs'
import { writeBetween } from '../docs/guides/markers.ts'
import { type Figure, passes } from './figures.ts'
import type { machine } from './machine.ts'
import { plot } from './plot.ts'

export interface Results {
  date: string
  machine: ReturnType<typeof machine>
  /** Whether the build was measured; else the source. */
  built: boolean
  figures: Figure[]
}

/** The figures as a Markdown table, which reads well in a terminal too. */
export function toTable({ date, machine, built, figures }: Results): string {
  const rows = figures.map((figure) => [
    figure.work,
    figure.subject,
    number(figure.value) + unit(figure.unit),
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
    `${date}, ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, ${built ? 'the build' : 'the source'}${machine.pinned ? ', servers on Node and load each on a core of their own' : ''}.`,
  ].join('\n')
}

function target({ atMost, atLeast, unit: of }: Figure): string {
  if (atMost !== undefined) return `<= ${number(atMost)}${unit(of)}`
  if (atLeast !== undefined) return `>= ${number(atLeast)}${unit(of)}`
  return ''
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function unit(name: string): string {
  return name === '' ? '' : ` ${name}`
}

/** The figures that README shows, a line each; without those that were not measured. */
export function toSummary({ figures }: Results): string {
  function value(work: string, subject: string): number | undefined {
    return figures.find((figure) => figure.work === work && figure.subject === subject)?.value
  }
  function lineOf(parts: [text: string, value: number | undefined][]): string {
    const known = parts.filter(([, figure]) => figure !== undefined)
    return known.map(([text, figure]) => text.replace('%', number(figure!))).join('')
  }
  const list = 'list 10 over HTTP'
  const create = 'create over HTTP'
  const long = 'list of 1000000 plants'
  const bundle = 'minified and gzipped'
  return [
    lineOf([
      ['- A list of 10 plants costs % ×', value(list, 'plant-store')],
      [
        ' and a create % × the server CPU of hand-written `node:http`.',
        value(create, 'plant-store'),
      ],
      [' The same work costs % ×', value(list, 'Fastify')],
      [' and % × with Fastify,', value(create, 'Fastify')],
      [' % ×', value(list, 'Express')],
      [' and % × with Express.', value(create, 'Express')],
    ]),
    lineOf([
      [
        '- While a million plants are listed, memory grows by % MiB.',
        value(long, 'peak memory growth'),
      ],
      [
        ' Durable SQLite creates, 64 at once: % × as many as with a commit each.',
        value('durable SQLite creates, 64 at once', 'plant-store'),
      ],
    ]),
    lineOf([
      ['- A Worker with the core and D1 is % KiB,', value('Worker bundle (core and D1)', bundle)],
      [' the client % KiB, minified and gzipped.', value('client bundle', bundle)],
    ]),
  ].join('\n')
}

const here = new URL('./', import.meta.url)

/** Keeps the figures beside the benchmark, and shows them in the guides between their markers. */
export function writeResults(results: Results): void {
  writeFileSync(new URL('results.json', here), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(new URL('results.svg', here), plot(results))
  writeBetween('test/bench/README.md', 'bench', toTable(results))
  writeBetween('README.md', 'speed', toSummary(results))
}
