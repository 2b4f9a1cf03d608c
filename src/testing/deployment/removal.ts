import {
  DELETE,
  type Evidence,
  ensure,
  idsOfTests,
  LIST,
  namesIn,
  violation,
  withId,
} from '../adapter/exchange.ts'
import { type Deployment, type HostUnderTest, hostAt } from '../adapter/host.ts'
import { STRAY } from './cause.ts'

/** Removes the plants that a check has created. */
export interface Removal {
  /** Deletes a plant, again if that fails for a reason that may pass. */
  remove(plant: Deployment['tried'][number]): Promise<void>
  /** Looks for plants that were stored under other ids than were sent. */
  lookForPlants(): Promise<void>
  /** The first error, with all plants that may be left. Undefined if none is. */
  failure(): Error | undefined
}

/** Deletes a plant. Some frameworks take a DELETE without a content type for a form of another site. */
export const REMOVE = { ...DELETE, contentType: 'application/json' }

/** How long a deployment may take to respond. */
export const PATIENCE_MS = 5000
// A token that the rule has made up gets 401.
const GONE = [204, 401, 404]
/** A rate limit, or a gateway whose server is away for a moment. */
const PASSING = [429, 502, 503, 504]
const MAX_TRIES = 6
const RETRY_MS = 250
const MAX_RETRY_MS = 5000

export function createRemoval(url: URL, tokens: Deployment['tokens']): Removal {
  const left: string[] = []
  let firstError: Error | undefined

  async function withHost(use: (host: HostUnderTest) => Promise<void>) {
    const host = hostAt(url, '1.1', PATIENCE_MS, { tokens, tried: [] })
    try {
      await use(host)
      return undefined
    } catch (error) {
      return error as Error & Partial<Evidence>
    } finally {
      host.close()
    }
  }

  return {
    async remove({ token, id }) {
      const request = withId({ ...REMOVE, token }, id)
      for (let tries = 1; ; tries++) {
        const error = await withHost(async (host) => {
          const answer = await host.send(request)
          const isGone = GONE.includes(answer.status)
          ensure(isGone, `The status is ${answer.status}, expected 204`, request, answer)
        })
        if (!error) return
        const { answer } = error
        const mayPass = !answer || PASSING.includes(answer.status)
        if (!mayPass || tries === MAX_TRIES) {
          firstError ??= error
          left.push(`${id}`)
          return
        }
        const askedMs = Number(answer?.headers.get('retry-after')) * 1000
        const ms = Math.min(askedMs || RETRY_MS * 2 ** tries, MAX_RETRY_MS)
        await new Promise((resolve) => setTimeout(resolve, ms))
      }
    },

    async lookForPlants() {
      if (left.length > 0) return
      for (const token of tokens) {
        const request = { ...LIST, path: '/plants?limit=1000', token }
        firstError ??= await withHost(async (host) => {
          const answer = await host.send(request)
          const names = namesIn(request, answer)
          const ours = names.filter((name) => idsOfTests(name).length > 0)
          left.push(...ours)
          if (ours.length > 0) violation(STRAY, request, answer)
        })
      }
    },

    failure() {
      if (!firstError || left.length === 0) return undefined
      const message = `${firstError.message}\nThese plants may be left: ${left.join(', ')}`
      // With what was sent and what came.
      return Object.assign(new Error(message), firstError)
    },
  }
}
