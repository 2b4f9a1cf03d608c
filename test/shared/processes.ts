import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Starts a program that answers questions, by `answerParent`. It is killed with this process at the latest. */
export function startProcess(
  [program, ...args]: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const child = spawn(program!, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...options,
  })
  children.add(child)
  child.once('exit', (code, signal) => {
    children.delete(child)
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
