import { readFileSync, writeFileSync } from 'node:fs'
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

const here = new URL('./', import.meta.url)
const readme = new URL('../../README.md', here)
const BETWEEN_MARKERS = /(<!-- bench -->\n)[\s\S]*(<!-- \/bench -->)/

/** Keeps the figures beside the benchmark, and shows them in README between its markers. */
export function writeResults(results: Results): void {
  writeFileSync(new URL('results.json', here), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(new URL('results.svg', here), plot(results))
  const text = readFileSync(readme, 'utf8')
  if (!BETWEEN_MARKERS.test(text)) throw new Error('README.md has no <!-- bench --> markers')
  writeFileSync(
    readme,
    text.replace(BETWEEN_MARKERS, (_, before, after) => `${before}${toTable(results)}\n${after}`),
  )
}
