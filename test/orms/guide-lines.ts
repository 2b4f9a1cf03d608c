import { stripTypeScriptTypes } from 'node:module'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { codeBlocks } from '../docs/guides/guides.ts'

/** Returns the expressions of the guides to storages that call a function: `export const onKnex = postgresStorage(…)`. */
export function guideLines(callee: string): Map<string, string> {
  const code = ['orms', 'libsql']
    .flatMap((page) => codeBlocks(`docs/storages/${page}.md`))
    .filter(({ code }) => new RegExp(`^export const on\\w+ = ${callee}\\(`, 'm').test(code))
    .map(({ code }) => stripTypeScriptTypes(code))
    .join('\n')
  const lines = code.matchAll(/^export const on(\w+) = ([\s\S]+?\n)(?=export|\n|\/\/|$)/gm)
  return new Map(
    [...lines].map(([, name, line]) => [name!, line!.replaceAll(/ *\/\/.*$/gm, '').trim()]),
  )
}

/** Evaluates a line of a guide, which makes a storage, with the names that it uses. */
export function evaluate<Storage extends PlantStorage>(
  line: string,
  uses: Record<string, unknown>,
): Storage {
  return new Function(...Object.keys(uses), `return ${line}`)(...Object.values(uses))
}
