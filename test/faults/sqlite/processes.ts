import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'

/** Returns the name of a file in a new directory, which is removed when the test ends. */
export function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-durability-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'plants.db')
}

/** Runs a script in several processes that begin at the same moment, and returns the words they print. */
export async function runTogether(processes: number, script: string, parameters: string[]) {
  const args = [join(import.meta.dirname, script), ...parameters]
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const exits = children.map((child) => once(child, 'exit'))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const moment = Date.now() + 50
  for (const child of children) child.stdin.end(`${moment}`)
  const outputs = await Promise.all(children.map((child) => text(child.stdout)))
  expect(await Promise.all(exits)).toEqual(exits.map(() => [0, null]))
  return outputs.flatMap((output) => output.split(/\s+/).filter(Boolean))
}
