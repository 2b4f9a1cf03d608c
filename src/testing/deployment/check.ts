import {
  DELETE,
  type Evidence,
  ensure,
  idsOfTests,
  LIST,
  namesIn,
  withId,
} from '../adapter/exchange.ts'
import { type Deployment, hostAt } from '../adapter/host.ts'
import { type AdapterRule, checkAnswer, checkRule } from '../adapter/rule.ts'
import { rules } from '../adapter/rules.ts'
import { atOnce, sleep } from '../waiting.ts'
import { causeOf, STRAY } from './cause.ts'

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

/** How long a deployment may take to respond: a platform may start the store only now, or share its machine. */
const PATIENCE_MS = 15_000
const AT_ONCE = 50
/** A shorter token is part of other words: it is redacted in Authorization only. */
const MIN_REDACTED = 8

/** Deletes a plant. Some frameworks take a DELETE without a content type for a form of another site. */
const REMOVE = { ...DELETE, contentType: 'application/json' }

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
  const first = await find('reachable', reachable)
  yield first
  for (const [rule, definition] of Object.entries(rules)) {
    const skipped = whySkipped(definition)
    yield skipped ? { rule, says: definition.says, skipped } : await find(rule, definition)
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

  async function find(rule: string, definition: AdapterRule) {
    const { says, advice } = definition
    const deployment: Deployment = { tokens, tried: [] }
    const host = hostAt(url, '1.1', PATIENCE_MS, deployment)
    signal?.addEventListener('abort', host.close)
    try {
      await checkRule(host, definition)
      return { rule, says }
    } catch (error) {
      if (signal?.aborted) return { rule, says, skipped: INTERRUPTED }
      return toFinding({ rule, says }, error as Error, advice)
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
    const hide = (word: string) => (tokens.includes(word) ? '…' : word)
    const shown = text.replace(/^ *authorization: .*$/gim, (line) =>
      line.split(' ').map(hide).join(' '),
    )
    const long = tokens.filter(({ length }) => length >= MIN_REDACTED)
    return long.reduce((shown, token) => shown.replaceAll(token, '…'), shown)
  }
}

const GONE = [204, 404]
/** A rate limit, or a gateway whose server is away for a moment. */
const PASSING = [429, 502, 503, 504]
const MAX_TRIES = 6
const RETRY_MS = 250
const MAX_RETRY_MS = 5000

/** Creates what removes the plants of a check. */
function createRemoval(url: URL, tokens: Deployment['tokens']) {
  const host = hostAt(url, '1.1', PATIENCE_MS, { tokens, tried: [] })
  const left: string[] = []
  let firstError: Error | undefined

  return {
    /** Deletes a plant, again if that fails for a reason that may pass. */
    async remove({ token, id }: Deployment['tried'][number]): Promise<void> {
      const request = withId({ ...REMOVE, token }, id)
      for (let tries = 1; ; tries++) {
        try {
          const answer = await host.send(request)
          const isGone = GONE.includes(answer.status)
          return ensure(isGone, `The status is ${answer.status}, expected 204`, request, answer)
        } catch (error) {
          const { answer } = error as Partial<Evidence>
          const mayPass = !answer || PASSING.includes(answer.status)
          if (!mayPass || tries === MAX_TRIES) {
            firstError ??= error as Error
            left.push(`${id}`)
            return
          }
          const askedMs = Number(answer?.headers.get('retry-after')) * 1000
          await sleep(Math.min(askedMs || RETRY_MS * 2 ** tries, MAX_RETRY_MS))
        }
      }
    },

    /** Looks for plants that were stored under other ids than were sent. */
    async lookForPlants(): Promise<void> {
      if (left.length > 0) return
      for (const token of tokens) {
        const request = { ...LIST, path: '/plants?limit=1000', token }
        try {
          const answer = await host.send(request)
          const ours = namesIn(request, answer).filter((name) => idsOfTests(name).length > 0)
          left.push(...ours)
          ensure(ours.length === 0, STRAY, request, answer)
        } catch (error) {
          firstError ??= error as Error
        }
      }
    },

    /** The first error, with all plants that may be left. Undefined if none is. */
    failure(): Error | undefined {
      if (!firstError || left.length === 0) return undefined
      const message = `${firstError.message}\nThese plants may be left: ${left.join(', ')}`
      // With what was sent and what came.
      return Object.assign(new Error(message), firstError)
    },
  }
}
