import { PATH, run } from '../../runtimes/program.ts'
import { type Command, endCommand, startCommand, untilPrinted } from '../../shared/command.ts'
import { freePort } from '../../shared/free-port.ts'

/** A command of a `console` block, and the output below it. */
export interface GuideCommand {
  readonly command: string
  readonly output: string
}

/** The commands of a `console` block (`$ command`, then its output) or of an `sh` block (one per line). */
export function commandsOf(language: string, code: string): GuideCommand[] {
  const text = code.replaceAll(/\\\n\s*/g, '')
  if (language === 'sh') {
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.map((command) => ({ command, output: '…' }))
  }
  return [...text.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command, output]) => ({
    command: command!,
    output: output!.trim(),
  }))
}

export type Session = Awaited<ReturnType<typeof startSession>>

/** Runs the commands of a guide one after the other, in one folder. */
export async function startSession(folder: string) {
  const port = String(await freePort())
  const env = { ...process.env, PATH, PORT: port, NO_COLOR: '1' }
  /** Replaces the port 3000, which may be taken on this machine. */
  const withPort = (text: string) => text.replaceAll(/\b3000\b/g, port)
  let server: Command | undefined

  async function stop(): Promise<void> {
    if (server) await endCommand(server)
  }

  async function serve(command: string, url: string): Promise<string> {
    await stop()
    server = startCommand(['bash', '-c', command], { cwd: folder, env, detached: true })
    await untilPrinted(server, new RegExp(`${url}\n`))
    return server.output().replace(/^(?!.*http:).*\n/gm, '')
  }

  return {
    withPort,
    [Symbol.asyncDispose]: stop,
    /**
     * Runs a command. One whose documented output has the URL of this machine is a server, and runs until the
     * next server starts.
     *
     * @returns its output
     */
    async run({ command, output }: GuideCommand): Promise<string> {
      const url = /http:\/\/(?:127\.0\.0\.1|localhost|0\.0\.0\.0):3000\S*/.exec(output)?.[0]
      if (url) return (await serve(withPort(command), withPort(url))).trim()
      const running = run('bash', ['-c', withPort(command)], { cwd: folder, env })
      const { stdout } = await running.catch((error) => {
        throw new Error(`${command} failed:\n${error.stdout}${error.stderr}`)
      })
      return stdout.trim()
    },
  }
}

/** Whether the output is the documented one, in which `…` stands for any text. */
export function matches(documented: string, output: string): boolean {
  const parts = documented.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(output)
}
