import { createContention, isAbout } from './contention.ts'
import { type Measurement, total, usual } from './measurement.ts'

/** The number of calls that may be in progress at once. */
export interface CallLimit {
  readonly current: number
  /** Whether more calls at once are known to slow each other down, or the limit is the app's. If not, none is refused. */
  readonly isContended: boolean
  /** A call that is in progress for this long may hang. */
  readonly maxHoldMs: number
  /** Learns from a call that has ended. */
  learn(call: EndedCall): void
}

interface EndedCall extends Measurement {
  readonly hasFailed: boolean
  /** Whether other calls wait for it to end. */
  readonly isAwaited: boolean
}

/** The lower bound. With no more calls in progress, a storage counts as idle. */
const MIN_LIMIT = 4
/** The idle duration is measured over this many calls. */
const IDLE_CALLS = 32
/** The target duration at the limit is at least this multiple of the idle duration. */
const TARGET_FACTOR = 1.3
/** A call may hang after 600 ms, or 3 x the idle duration if that is more. With contention, after 10 x the target. */
export const MIN_HOLD_MS = 600
const HOLD_FACTOR = 3
const CONTENDED_HOLD_FACTOR = 10
/** The limit grows by this factor at a time. */
const GROWTH = 2
/** A limit that has hardly changed so many times is raised by a quarter, for something to compare with. */
const STEADY_SAMPLES = 4
const PROBE = 1.25
/** The limit is adjusted after as many calls as it allows, and at least this many. */
const MIN_SAMPLE = 16
/** A call that began with a lower share of the limit in progress says nothing of the limit. */
const MIN_SHARE = 0.7

/**
 * Finds how many calls a storage can use. It is often a pool with a queue of its own, which can't be seen: more calls
 * than it can use take longer, and are not done faster. So the limit grows until that is so. From then on, it is the number
 * of calls that are done in the target duration: by Little's law, each of them takes that long. When calls are no faster
 * with a lower limit, or no slower with a higher one, the storage is slow rather than overloaded, and the limit grows again.
 *
 * @param first the limit at the start
 * @param minTargetMs the target duration at the limit, unless 1.3 x the idle duration is more
 */
export function createAdaptiveLimit(first = 10, minTargetMs = 300): CallLimit {
  const contention = createContention()
  let idle: Measurement[] = []
  let sample: Measurement[] = []
  let adjustedAt = 0
  let steadySamples = 0
  let isProbing = false

  const idleMs = () => (idle.length > 0 ? total(idle, 'ms') / idle.length : 0)
  const targetMs = () => Math.max(minTargetMs, TARGET_FACTOR * idleMs())

  function adjust(): void {
    const now = usual(sample)!
    const isCompared = contention.learn(now, usual(idle))
    // Or it was not idle, but busy with calls of other methods, or it paused.
    const isIdle = (isCompared && !contention.isShown) || now.ms < (usual(idle)?.ms ?? 0)
    if (isIdle) idle = sample.slice(-IDLE_CALLS)
    limit.current = nextLimit(limit.current)
    adjustedAt = performance.now()
    sample = []
  }

  function nextLimit(current: number): number {
    const next = contention.isShown ? Math.min(wanted(), GROWTH * current) : GROWTH * current
    const rounded = Math.max(MIN_LIMIT, Math.round(next))
    steadySamples = isAbout(rounded, current) ? steadySamples + 1 : 0
    isProbing = steadySamples === STEADY_SAMPLES
    if (!isProbing) return rounded
    steadySamples = 0
    return Math.round(PROBE * current) + 1
  }

  /** All calls count here: where they overtake each other, the quickest say too little. */
  function wanted(): number {
    return (total(sample, 'inFlight') * targetMs()) / total(sample, 'ms')
  }

  /** A generation of calls. Where they have become slow, less. */
  function isEnough(): boolean {
    if (sample.length < MIN_SAMPLE) return false
    const isSlow = performance.now() - adjustedAt > 2 * targetMs()
    return isSlow || sample.length >= limit.current
  }

  const limit = {
    current: first,
    get isContended() {
      return contention.isShown
    },
    get maxHoldMs() {
      if (contention.isShown) return CONTENDED_HOLD_FACTOR * targetMs()
      return Math.max(MIN_HOLD_MS, HOLD_FACTOR * idleMs())
    },
    learn({ ms, inFlight, hasFailed, isAwaited }: EndedCall) {
      // A database that is down, or a client that has gone, says nothing. Unless the call was too slow for it.
      if (hasFailed && ms < targetMs()) return
      if (inFlight <= MIN_LIMIT && !hasFailed) {
        idle.push({ ms, inFlight })
        if (idle.length > IDLE_CALLS) idle.shift()
      }
      // While nobody waits, calls take hardly longer than in an idle storage.
      if (!isAwaited || inFlight < MIN_SHARE * limit.current) return
      const isNew = performance.now() - ms >= adjustedAt
      if (!isNew && (isProbing || !contention.isShown)) return
      sample.push({ ms, inFlight })
      if (isEnough()) adjust()
    },
  }
  return limit
}

/** A limit that learns nothing, and that calls never exceed. */
export function createFixedLimit(current: number): CallLimit {
  return { current, isContended: true, maxHoldMs: Number.POSITIVE_INFINITY, learn() {} }
}
