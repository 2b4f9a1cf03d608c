import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './guides.ts'

/** Returns what a guide has between `<!-- name -->` and `<!-- /name -->`. */
export function readBetween(guide: string, name: string): string {
  return pattern(name).exec(readFileSync(join(ROOT, guide), 'utf8'))?.[2] ?? ''
}

/** Replaces what a guide has between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetween(guide: string, name: string, text: string): void {
  const file = join(ROOT, guide)
  const before = readFileSync(file, 'utf8')
  if (!pattern(name).test(before)) throw new Error(`${guide} has no <!-- ${name} --> markers`)
  writeFileSync(
    file,
    before.replace(pattern(name), (_, start, _old, end) => `${start}${text}\n${end}`),
  )
}

function pattern(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*)(<!-- /${name} -->)`)
}
