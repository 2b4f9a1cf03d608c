import { writeFileSync } from 'node:fs'
import { writeBetween } from '../docs/guides/markers.ts'
import { number, type Row } from './figures.ts'

export type Figure = Row & { section: string }

export interface Results {
  /** The day and the machine. */
  conditions: string
  figures: Figure[]
}

const HEADER = ['Work', 'Who', 'Median', 'Quartiles', 'Target', '', 'In this run']

/** The figures as a Markdown table for each section, which reads well in a terminal too. */
export function toTables({ conditions, figures }: Results): string {
  const sections = [...Map.groupBy(figures, ({ section }) => section)]
  const tables = sections.map(
    ([name, figures]) => `### ${name}\n\n${toMarkdown([HEADER, ...figures.map(toCells)])}\n\n`,
  )
  return `${tables.join('')}${conditions}.`
}

/** @param rows the first is the header */
function toMarkdown([header, ...rows]: string[][]): string {
  const widths = header!.map((name, i) =>
    Math.max(name.length, ...rows.map((row) => row[i]!.length)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  const lines = [header!, rule, ...rows].map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)))
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function toCells({ work, subject, value, unit, low, high, atMost, atLeast, note = '' }: Row) {
  const quartiles = low === undefined ? '' : `${number(low)} to ${number(high!)}`
  const cells = [work, subject, `${number(value)} ${unit}`, quartiles]
  const target = atMost ?? atLeast
  if (target === undefined) return [...cells, '', '', note]
  const sign = atMost === undefined ? '>=' : '<='
  const isMet = atMost === undefined ? value >= target : value <= target
  return [...cells, `${sign} ${number(target)} ${unit}`, isMet ? 'met' : '**missed**', note]
}

const PEERS = ['Fastify', 'h3', 'Hono', 'Express']

/** The figures that README shows. */
export function toSummary({ figures }: Results): string {
  function value(work: string, subject: string): string {
    // The first of them compares with the floor.
    return number(figures.find((one) => one.work === work && one.subject === subject)!.value)
  }
  const peers = PEERS.map((peer) => `${peer} ${value('list 10 over HTTP', peer)}`).join(', ')
  const own = value('list 10 over HTTP', 'plant-store')
  const express = value('list 10 in Express', 'plant-store, mounted, server CPU')
  return `Mounted in Express, a list of 10 plants costs ${express} × the CPU of the same API written in Express. Served by \`serve\`, the list costs ${own} × the CPU of a server written by hand on \`node:http\` (${peers}).`
}

/** Keeps the figures beside the benchmark, and shows them in the guides between their markers. */
export function writeResults(results: Results): void {
  const file = new URL('results.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  writeBetween('test/bench/README.md', 'bench', toTables(results))
  writeBetween('README.md', 'speed', toSummary(results))
}
