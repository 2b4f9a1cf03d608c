import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

/** Returns the name of a file in a new directory, which is removed when the test ends. */
export function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-durability-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'plants.db')
}

/** Starts a server on the file. It is killed when the test ends, unless it was killed before. */
export async function startServer(file: string, lockTimeoutMs = 5000) {
  const child = start('server.ts', [file, String(lockTimeoutMs)])
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await Promise.race([
    once(child.stdout!, 'data'),
    exited.then(() => Promise.reject(new Error('The server did not start'))),
  ])
  return {
    plants: `${String(line).trim()}/plants`,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Runs a script in several processes that begin at the same moment, and returns the words they print. */
export async function runTogether(processes: number, script: string, parameters: string[]) {
  const children = Array.from({ length: processes }, () => start(script, parameters))
  const exits = children.map((child) => once(child, 'exit'))
  await Promise.all(children.map((child) => once(child.stdout!, 'data')))
  const moment = Date.now() + 50
  for (const child of children) child.stdin!.end(`${moment}`)
  const outputs = await Promise.all(children.map((child) => text(child.stdout!)))
  expect(await Promise.all(exits)).toEqual(exits.map(() => [0, null]))
  return outputs.flatMap((output) => output.split(/\s+/).filter(Boolean))
}

function start(script: string, parameters: string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url))
  return spawn(process.execPath, [path, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** The headers of every request to the server. */
export const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
