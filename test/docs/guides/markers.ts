import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readGuide } from './guides.ts'

/** Replaces what a guide has between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetween(guide: string, name: string, text: string): void {
  const before = readGuide(guide)
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*(<!-- /${name} -->)`)
  if (!marked.test(before)) throw new Error(`${guide} has no <!-- ${name} --> markers`)
  const after = before.replace(marked, (_, start, end) => `${start}${text}\n${end}`)
  writeFileSync(join(ROOT, guide), after)
}
