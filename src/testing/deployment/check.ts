import { ensure, plantsOf } from '../adapter/ensure.ts'
import { DELETE, LIST, withId } from '../adapter/exchange.ts'
import { type Deployment, hostAt } from '../adapter/host.ts'
import { type AdapterRule, checkAnswer } from '../adapter/rule.ts'
import { rules } from '../adapter/rules.ts'
import { atOnce } from '../at-once.ts'
import { ContractViolation } from '../violation.ts'
import { causeOf } from './cause.ts'

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
const PATIENCE_MS = 5000
const SHORT_PATIENCE_MS = 1500
const AT_ONCE = 20

const reachable: AdapterRule = {
  says: 'the token lists plants at this URL',
  advice: 'Check the URL, with its mount path, and the token.',
  async check(host) {
    const request = host.prepare({ ...LIST, path: '/plants?limit=1' })
    const answer = await host.send(request)
    if (answer.status !== 200) checkAnswer(host, request, answer, {})
    plantsOf(request, answer)
  },
}

const removed: Finding = {
  rule: 'removal',
  says: 'the plants that this check has created are removed',
}
// A token that the rule has made up gets 401.
const GONE = [204, 401, 404]

/** How many findings a check has. */
export const FINDING_COUNT = Object.keys(rules).length + 2

/**
 * Checks a running store for the rules of the adapter kit, as far as HTTP shows them. It creates plants with ids that no
 * other plant has, and deletes these only.
 *
 * @param url where the paths of the store begin
 * @param tokens the tokens of one or two owners
 */
export async function* checkDeployment(
  url: URL,
  tokens: readonly [string, ...string[]],
): AsyncGenerator<Finding> {
  let left: Finding | undefined
  const first = await find('reachable', reachable, FIRST_PATIENCE_MS)
  yield first
  for (const [name, rule] of Object.entries(rules)) {
    const skipped = whySkipped(rule)
    yield skipped ? { rule: name, says: rule.says, skipped } : await find(name, rule, PATIENCE_MS)
  }
  yield left ?? removed

  function whySkipped({ needs, owners = 1 }: AdapterRule): string | undefined {
    if (first.failure) return 'the store was not reached'
    if (left) return 'the plants of the rules before could not be removed'
    if (needs) return `needs ${needs}`
    return owners > tokens.length ? 'needs a --token of a second owner' : undefined
  }

  async function find(name: string, rule: AdapterRule, patienceMs: number): Promise<Finding> {
    const { says, advice, proxyMayBreak } = rule
    const deployment: Deployment = { tokens, tried: [] }
    const patience = proxyMayBreak ? SHORT_PATIENCE_MS : patienceMs
    const host = hostAt(url, '1.1', patience, deployment)
    try {
      await rule.check(host)
      return { rule: name, says }
    } catch (error) {
      const isBroken = error instanceof ContractViolation
      if (isBroken && proxyMayBreak) return { rule: name, says, skipped: proxyMayBreak }
      return toFinding({ rule: name, says }, error as Error, advice)
    } finally {
      host.close()
      await atOnce(deployment.tried, remove, AT_ONCE)
    }
  }

  async function remove({ token, id }: Deployment['tried'][number]): Promise<void> {
    const host = hostAt(url, '1.1', PATIENCE_MS, { tokens, tried: [] })
    // Some frameworks take a DELETE without a content type for a form of another site.
    const request = withId({ ...DELETE, token, contentType: 'application/json' }, id)
    try {
      const answer = await host.send(request)
      ensure(
        GONE.includes(answer.status),
        `The status is ${answer.status}, expected 204: the plant ${id} may be left`,
        request,
        answer,
      )
    } catch (error) {
      left ??= toFinding(removed, error as Error, 'DELETE the plant.')
    } finally {
      host.close()
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
