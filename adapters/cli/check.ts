import { parseArgs } from 'node:util'
import { TOKEN68 } from '../../src/lib/text.ts'
import { checkDeployment, FINDING_COUNT, type Finding } from '../../src/testing/deployment/check.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const USAGE = 'npx plant-store check <url> --token <token> [--token <token of a second owner>]'

/**
 * Runs `plant-store check`, and prints a line for each rule, in the Test Anything Protocol (https://testanything.org).
 *
 * @returns whether no rule is broken
 * @throws Error for wrong arguments; it never holds a token
 */
export async function runCheck(args: string[], print: (line: string) => void): Promise<boolean> {
  const { url, tokens } = readArguments(args)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  // A second signal ends it at once.
  for (const signal of SIGNALS) process.once(signal, interrupt)
  const start = performance.now()
  const counts = { kept: 0, broken: 0, skipped: 0 }
  print('TAP version 14')
  print(`1..${FINDING_COUNT}`)
  let number = 0
  let firstCause: string | undefined
  for await (const finding of checkDeployment(url, tokens, interruption.signal)) {
    counts[finding.failure ? 'broken' : finding.skipped ? 'skipped' : 'kept']++
    firstCause ??= finding.cause
    for (const line of toLines(finding, ++number)) print(line)
  }
  for (const signal of SIGNALS) process.off(signal, interrupt)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const { kept, broken, skipped } = counts
  print(`# ${kept} rules kept, ${broken} broken, ${skipped} not checked, in ${seconds} s`)
  if (broken > 1) print(`# Begin with the first, since others may follow from it: ${firstCause}`)
  return broken === 0 && !interruption.signal.aborted
}

function toLines({ rule, says, skipped, failure, cause }: Finding, number: number): string[] {
  const line = `ok ${number} - ${rule}: ${says}`
  if (skipped) return [`${line} # SKIP not checked: ${skipped}`]
  if (!failure) return [line]
  return [
    `not ${line}`,
    `# Likely cause: ${cause}`,
    ...failure.split('\n').map((one) => `#   ${one}`),
  ]
}

function readArguments(args: string[]): { url: URL; tokens: [string, ...string[]] } {
  const { positionals, values } = parseCheckOptions(args)
  const [address, ...others] = positionals
  const url = URL.parse(address ?? '')
  const [token, ...tokens] = values.token ?? []
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href) || others.length > 0) {
    throw new Error(
      `check takes one http: or https: URL without a query, where the paths of the store begin: ${USAGE}`,
    )
  }
  if (!token || tokens.length > 1) {
    throw new Error(`check takes the token of an owner, and one of a second owner: ${USAGE}`)
  }
  if (![token, ...tokens].every((one) => TOKEN68.test(one))) {
    throw new Error('check takes each token alone, without "Bearer", spaces and line breaks')
  }
  return { url, tokens: [token, ...tokens] }
}

function parseCheckOptions(args: string[]) {
  try {
    const options = { token: { type: 'string', multiple: true } } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    throw new Error(`check knows only --token: ${USAGE}`)
  }
}
