import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readGuide } from './guides.ts'

/** Returns what a guide has between `<!-- name -->` and `<!-- /name -->`. */
export function readBetween(guide: string, name: string): string {
  return pattern(name).exec(readGuide(guide))?.[2] ?? ''
}

/** Replaces what a guide has between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetween(guide: string, name: string, text: string): void {
  const before = readGuide(guide)
  if (!pattern(name).test(before)) throw new Error(`${guide} has no <!-- ${name} --> markers`)
  const after = before.replace(pattern(name), (_, start, _old, end) => `${start}${text}\n${end}`)
  writeFileSync(join(ROOT, guide), after)
}

function pattern(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*)(<!-- /${name} -->)`)
}
