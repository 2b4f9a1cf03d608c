/** The number of calls that may be in progress at once. */
export interface CallLimit {
  readonly current: number
  /** Whether more calls at once are known to slow each other down. As long as they don't, none is refused. */
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

interface Measurement {
  readonly ms: number
  /** The number of calls in progress when it began, including itself. */
  readonly inFlight: number
}

/** The lower bound. With no more calls in progress, a storage counts as idle. */
const MIN_LIMIT = 4
/** The idle duration is measured over this many calls. */
const IDLE_CALLS = 32
/** The target duration at the limit is at least this multiple of the idle duration. */
const TARGET_FACTOR = 1.3
/** A call may hang after 600 ms, or 3 x the idle duration if that is more. */
export const MIN_HOLD_MS = 600
const HOLD_FACTOR = 3
/** The limit grows by this factor at a time. */
const GROWTH = 2
/** Measurements are compared if one has this many times the calls in progress of the other. */
const COMPARABLE = 1.3
/** The exponent with which the duration grows with the calls in progress: 0 where they don't matter, 1 in a full pool. */
const CONTENTION = 0.5
/** A duration that grows even more since the storage was idle: the storage itself has become slower. */
const TOO_STEEP = 1.5
/** The limit is adjusted after as many calls as it allows, and at least this many. */
const MIN_SAMPLE = 16
/** A call that began with a lower share of the limit in progress says nothing of the limit. */
const MIN_SHARE = 0.7

/**
 * Finds how many calls a storage can use. It is often a pool with a queue of its own, which can't be seen: more calls
 * than it can use take longer, and are not done faster. So the limit grows until that is so. From then on, it is the number
 * with which a call takes as long as the target: by Little's law, the duration of a call is in proportion to the number.
 * When calls are no faster with a lower limit, the storage is slow rather than overloaded, and the limit grows again.
 *
 * @param first the limit at the start
 * @param minTargetMs the target duration at the limit, unless 1.3 x the idle duration is more
 */
export function createAdaptiveLimit(first = 10, minTargetMs = 300): CallLimit {
  let idle: Measurement[] = []
  let sample: Measurement[] = []
  let last: Measurement | undefined
  let adjustedAt = 0

  const idleMs = () => usual(idle)?.ms ?? 0

  /** Compares the duration with the last one, which was measured with another number of calls in progress. */
  function compare(now: Measurement): void {
    const before = last ?? usual(idle) ?? now
    const ratio = now.inFlight / before.inFlight
    if (Math.max(ratio, 1 / ratio) >= COMPARABLE) {
      const exponent = Math.log(now.ms / before.ms) / Math.log(ratio)
      const hasBecomeSlower = ratio < 1 ? exponent < -CONTENTION : !last && exponent > TOO_STEEP
      if (!hasBecomeSlower) limit.isContended = exponent > CONTENTION
      if (!limit.isContended) idle = [now]
    }
    // It was not idle, but busy with calls of other methods, or it paused.
    if (now.ms < idleMs()) idle = [now]
    last = now
  }

  function adjust(now: Measurement): void {
    compare(now)
    const targetMs = Math.max(minTargetMs, TARGET_FACTOR * idleMs())
    const wanted = limit.isContended ? (now.inFlight * targetMs) / now.ms : Infinity
    limit.current = Math.max(MIN_LIMIT, Math.round(Math.min(wanted, GROWTH * limit.current)))
    adjustedAt = performance.now()
    sample = []
  }

  /** A generation of calls. Where they have become slow, less. */
  function isEnough(): boolean {
    if (sample.length < MIN_SAMPLE) return false
    return (
      sample.length >= limit.current || performance.now() - adjustedAt > 2 * (last?.ms ?? Infinity)
    )
  }

  const limit = {
    current: first,
    isContended: false,
    get maxHoldMs() {
      return Math.max(MIN_HOLD_MS, HOLD_FACTOR * idleMs())
    },
    learn({ ms, inFlight, hasFailed, isAwaited }: EndedCall) {
      // A database that is down, or a client that has gone: it says nothing of how many calls are too many.
      if (hasFailed) return
      if (inFlight <= MIN_LIMIT) {
        idle.push({ ms, inFlight })
        if (idle.length > IDLE_CALLS) idle.shift()
      }
      // While nobody waits, calls take hardly longer than in an idle storage.
      if (!isAwaited || inFlight < MIN_SHARE * limit.current) return
      if (!limit.isContended && performance.now() - ms < adjustedAt) return
      sample.push({ ms, inFlight })
      if (isEnough()) adjust(usual(sample)!)
    },
  }
  return limit
}

/** The lower quartile: some calls may take much longer, and say nothing of how many are too many. */
function usual(measurements: readonly Measurement[]): Measurement | undefined {
  return measurements.toSorted((a, b) => a.ms - b.ms)[measurements.length >> 2]
}

/** A limit that learns nothing, and that calls never exceed. */
export function createFixedLimit(current: number): CallLimit {
  return { current, isContended: true, maxHoldMs: Number.POSITIVE_INFINITY, learn() {} }
}
