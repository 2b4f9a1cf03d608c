import { writeFileSync } from 'node:fs'
import { writeBetween } from '../docs/guides/markers.ts'
import { type Figure, number } from './figures.ts'

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

const HEADER = ['Work', 'Who', 'Median', 'Quartiles', 'Target', '', 'In this run']

/** The figures as a Markdown table for each section, which reads well in a terminal too. */
export function toTables({ date, machine, figures }: Results): string {
  const sections = [...Map.groupBy(figures, ({ section }) => section)]
  const tables = sections.map(
    ([name, figures]) => `### ${name}\n\n${toMarkdown([HEADER, ...figures.map(toCells)])}\n\n`,
  )
  const { cores, cpu, memoryGiB, system, node, pinned } = machine
  const cpus = pinned ? ', servers and load each on a core of their own' : ''
  return `${tables.join('')}${date}, ${cores} cores of ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}${cpus}.`
}

/** @param rows the first is the header */
function toMarkdown(rows: string[][]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const [header, ...lines] = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [header!, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function toCells({ work, subject, value, unit, low, high, atMost, atLeast, note }: Figure) {
  const quartiles = low === undefined ? '' : `${number(low)} to ${number(high!)}`
  const cells = [work, subject, `${number(value)} ${unit}`, quartiles]
  const target = atMost ?? atLeast
  if (target === undefined) return [...cells, '', '', note ?? '']
  const sign = atMost === undefined ? '>=' : '<='
  const isMet = atMost === undefined ? value >= target : value <= target
  return [...cells, `${sign} ${number(target)} ${unit}`, isMet ? 'met' : '**missed**', note ?? '']
}

const PEERS = ['Fastify', 'h3', 'Hono', 'Express']

/** The figures that README shows. */
export function toSummary({ figures }: Results): string {
  function value(work: string, subject: string, unit = '× floor'): string {
    const isMeant = (one: Figure) =>
      one.work === work && one.subject === subject && one.unit === unit
    return number(figures.find(isMeant)!.value)
  }
  const peers = PEERS.map((peer) => `${peer} ${value('list 10 over HTTP', peer)}`).join(', ')
  const own = value('list 10 over HTTP', 'plant-store')
  const long = value('list 5000 over HTTP', 'plant-store')
  const express = value('list 10 in Express', 'plant-store, mounted, server CPU', '× own idiom')
  return `A list of 10 plants costs ${own} × the server CPU of a server written by hand on \`node:http\` (${peers}), one of 5 000 plants ${long} ×. Mounted in Express, a list of 10 costs ${express} × the same API written in Express.`
}

/** Keeps the figures beside the benchmark, and shows them in the guides between their markers. */
export function writeResults(results: Results): void {
  const write = (name: string, text: string) => writeFileSync(new URL(name, import.meta.url), text)
  write('results.json', `${JSON.stringify(results, null, 2)}\n`)
  writeBetween('test/bench/README.md', 'bench', toTables(results))
  writeBetween('README.md', 'speed', toSummary(results))
}
