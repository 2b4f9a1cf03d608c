import { vi } from 'vitest'

/** Returns everything that is printed while `run` runs, by the console or by the standard streams. */
export async function outputOf(run: () => Promise<void>): Promise<string> {
  const printed: unknown[] = []
  const spies = [
    ...(['debug', 'error', 'info', 'log', 'trace', 'warn'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...args) => void printed.push(...args)),
    ),
    ...[process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(chunk) > 0),
    ),
  ]
  try {
    await run()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return printed.map(String).join('\n')
}
