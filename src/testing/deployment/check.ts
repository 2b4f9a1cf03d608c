import { ensure, LIST, namesIn } from '../adapter/exchange.ts'
import { type Deployment, hostAt } from '../adapter/host.ts'
import { type AdapterRule, checkAnswer, checkRule } from '../adapter/rule.ts'
import { rules } from '../adapter/rules.ts'
import { ContractViolation } from '../framework.ts'
import { atOnce } from '../waiting.ts'
import { causeOf } from './cause.ts'
import { createRemoval, PATIENCE_MS, REMOVE } from './removal.ts'

/** What a check has found about one rule. */
export interface Finding {
  readonly rule: string
  /** The rule, as a sentence. */
  readonly says: string
  /** Why the rule was not checked, if it was not. */
  readonly skipped?: string
  /** The failure, if the rule is broken: what was sent and what came. Without tokens. */
  readonly failure?: string
  /** The likely cause of the failure. */
  readonly cause?: string
}

/** A platform may start the store only now. */
const FIRST_PATIENCE_MS = 15_000
const SHORT_PATIENCE_MS = 1500
const AT_ONCE = 50

const reachable: AdapterRule = {
  says: 'each token lists plants at this URL, and may delete them',
  advice: 'Check the URL, with its mount path, and the token.',
  async check(host) {
    for (const token of host.deployment!.tokens) {
      const request = host.prepare({ ...LIST, path: '/plants?limit=1', token })
      const answer = await host.send(request)
      if (answer.status !== 200) checkAnswer(host, request, answer, {})
      namesIn(request, answer)
    }
    // Before anything is created that could not be removed. There is no such plant.
    const request = host.prepare(REMOVE)
    const answer = await host.send(request)
    ensure(answer.status === 404, `The status is ${answer.status}, expected 404`, request, answer)
  },
}

const removed: Finding = {
  rule: 'removal',
  says: 'the plants that this check has created are removed',
}

const INTERRUPTED = 'the check was interrupted'

/** How many findings a check has. */
export const FINDING_COUNT = Object.keys(rules).length + 2

/**
 * Checks a running store for the rules of the adapter kit, as far as HTTP shows them. It creates plants with ids that no
 * other plant has, and deletes these only.
 *
 * @param url where the paths of the store begin
 * @param tokens the tokens of one or two owners
 * @param signal ends the check early; what it has created is removed. Default: none
 */
export async function* checkDeployment(
  url: URL,
  tokens: readonly [string, ...string[]],
  signal?: AbortSignal,
): AsyncGenerator<Finding> {
  const removal = createRemoval(url, tokens)
  const first = await find('reachable', reachable, FIRST_PATIENCE_MS)
  yield first
  for (const [name, rule] of Object.entries(rules)) {
    const skipped = whySkipped(rule)
    yield skipped ? { rule: name, says: rule.says, skipped } : await find(name, rule, PATIENCE_MS)
  }
  if (!first.failure) await removal.lookForPlants()
  const failure = removal.failure()
  yield failure ? toFinding(removed, failure, 'DELETE them.') : removed

  function whySkipped({ needs, owners = 1 }: AdapterRule): string | undefined {
    if (signal?.aborted) return INTERRUPTED
    if (first.failure) return `${first.rule} is broken`
    if (removal.failure()) return 'the plants of the rules before could not be removed'
    if (needs) return `needs ${needs}`
    return owners > tokens.length ? 'needs a --token of a second owner' : undefined
  }

  async function find(name: string, rule: AdapterRule, patienceMs: number): Promise<Finding> {
    const { says, advice, proxyMayBreak } = rule
    const deployment: Deployment = { tokens, tried: [] }
    const patience = proxyMayBreak ? SHORT_PATIENCE_MS : patienceMs
    const host = hostAt(url, '1.1', patience, deployment)
    signal?.addEventListener('abort', host.close)
    try {
      await checkRule(host, rule)
      return { rule: name, says }
    } catch (error) {
      if (signal?.aborted) return { rule: name, says, skipped: INTERRUPTED }
      const isBroken = error instanceof ContractViolation
      if (isBroken && proxyMayBreak) return { rule: name, says, skipped: proxyMayBreak }
      return toFinding({ rule: name, says }, error as Error, advice)
    } finally {
      signal?.removeEventListener('abort', host.close)
      host.close()
      await atOnce(deployment.tried, removal.remove, AT_ONCE)
    }
  }

  function toFinding(finding: Finding, error: Error, advice: string): Finding {
    const { message } = error
    const cause = causeOf({ ...error, message, rule: finding.rule }) ?? `the host: ${advice}`
    return { ...finding, failure: redact(message), cause }
  }

  function redact(text: string): string {
    return tokens.reduce((shown, token) => shown.replaceAll(token, '…'), text)
  }
}
