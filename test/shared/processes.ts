import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { startCommand } from './command.ts'

/** Starts a program that answers questions, by `answerParent`. */
export function startProcess(command: readonly string[], options: SpawnOptions): ChildProcess {
  const { child } = startCommand(command, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...options,
  })
  child.once('exit', (code, signal) => {
    child.emit('message', { error: `The process ended with ${signal ?? code}` })
  })
  return child
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** Sends a message to a child and waits for the answer, for as long as the signal allows. One question at a time. */
export async function ask<Answer>(
  child: ChildProcess,
  question: object,
  signal?: AbortSignal,
): Promise<Answer> {
  if (!child.connected) throw new Error('The process has ended')
  child.send(question)
  const [{ answer, error }] = await once(child, 'message', { signal })
  if (error) throw new Error(error)
  return answer
}
