/** The number of calls that may be in progress at once. */
export interface CallLimit {
  readonly current: number
  /** Whether it is not known yet how many are too many. */
  readonly isLearning: boolean
  /** For how long a call may hold a slot. One that takes longer may hang, and keeps no others waiting. */
  readonly maxHoldMs: number
  /** Learns from a call that has ended. */
  learn(call: EndedCall): void
}

interface EndedCall {
  readonly ms: number
  /** The number of calls in progress when it began, including itself. */
  readonly inFlight: number
  readonly hasFailed: boolean
  /** Whether other calls wait for it to end. */
  readonly isAwaited: boolean
}

/** The lower bound. With no more calls in progress, a storage counts as idle. */
const MIN_LIMIT = 4
/** The idle duration is an average over about this many calls. */
const IDLE_CALLS = 32
/** A call counts as at most this many times the idle duration. */
const MAX_OUTLIER = 2
const TARGET_FACTOR = 1.3
/** A call gives its slot back after 600 ms, or 3 x the idle duration if that is more. */
const MIN_HOLD_MS = 600
const HOLD_FACTOR = 3
/** Below this multiple of the idle duration, a higher limit is tried. */
const PROBE_BELOW = 1.1
const PROBE_GROWTH = 1.5
/** The limit is adjusted after as many calls as it allows, and at least this many. */
const MIN_SAMPLE = 16

/**
 * Finds how many calls a storage can use. It is often a pool with a queue of its own, which can't be seen: more calls
 * than it can use take longer, and are not done faster. By Little's law, their duration is then in proportion to their
 * number. So the limit is the number with which a call takes as long as the target.
 *
 * @param first the limit at the start
 * @param minTargetMs the target latency at the limit, unless 1.3 x the idle duration is more
 */
export function createAdaptiveLimit(first = 10, minTargetMs = 300): CallLimit {
  let idleMs = 0
  let idleCalls = 0
  let sample = { calls: 0, ms: 0, inFlight: 0 }

  function adjust(ms: number, inFlight: number): void {
    // It was not idle: calls of the other methods were in progress.
    if (ms < idleMs) idleMs = ms
    const targetMs = Math.max(minTargetMs, TARGET_FACTOR * idleMs)
    const { current } = limit
    const isFast = ms < PROBE_BELOW * idleMs
    if (!isFast) limit.isLearning = false
    const probe = isFast ? PROBE_GROWTH * current : 0
    const wanted = Math.max((inFlight * targetMs) / ms, probe)
    const next = Math.round(Math.min(Math.max(wanted, current / 2), current * 2))
    limit.current = Math.max(MIN_LIMIT, next)
  }

  const limit = {
    current: first,
    isLearning: true,
    get maxHoldMs() {
      return Math.max(MIN_HOLD_MS, HOLD_FACTOR * idleMs)
    },
    learn({ ms, inFlight, hasFailed, isAwaited }: EndedCall) {
      // A database that is down, or a client that has gone: it says nothing of how many calls are too many.
      if (hasFailed && ms < idleMs) return
      if (inFlight <= MIN_LIMIT) {
        idleCalls = Math.min(idleCalls + 1, IDLE_CALLS)
        // A pause of the storage says little of it.
        const bounded = Math.min(ms, MAX_OUTLIER * (idleMs || ms))
        idleMs += (bounded - idleMs) / idleCalls
      }
      // While nobody waits, calls take hardly longer than in an idle storage, and the limit would only grow.
      if (!isAwaited) return
      sample.calls++
      sample.ms += ms
      sample.inFlight += inFlight
      if (sample.calls < Math.max(MIN_SAMPLE, limit.current)) return
      adjust(sample.ms / sample.calls, sample.inFlight / sample.calls)
      sample = { calls: 0, ms: 0, inFlight: 0 }
    },
  }
  return limit
}

/** A limit that learns nothing. */
export function createFixedLimit(current: number): CallLimit {
  return { current, isLearning: false, maxHoldMs: Number.POSITIVE_INFINITY, learn() {} }
}
