import { StorageUnavailableError } from '../../plant-storage.ts'

const TRIES = 5
const LONGEST_PAUSE_MS = 20

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const SQLSTATE = /^(?=.*\d)[\dA-Z]{5}$/
// Serialization failure and deadlock: rolled back, and said to be worth another try.
const ROLLED_BACK = /^(?:40001|40P01)$/
// Connection exceptions, transaction rollback, insufficient resources, operator intervention (such as
// a shutdown or a cancelled statement), system errors; a standby, an idle or a long transaction that was
// ended, a lock held too long.
const OUT_OF_REACH = /^(?:08|40|53|57|58)...$|^(?:25006|25P0[34]|55P03)$/
// The statement that was prepared by this name is gone, or another one has the name.
const UNPREPARED = /^(?:26000|42P05)$/
// Without an SQLSTATE. Of Node (ECONNRESET, EAI_AGAIN; ERR_… are mistakes) and postgres.js.
const NETWORK = /^(?:E(?!RR_)[A-Z]|CONNECT(?!ION_ENDED))/
// pg and Neon's driver give most of theirs no code. An ended pool is a mistake, and says neither.
const NO_ANSWER = /\b(?:connect(?:ion|ing)?|terminated|time-?out|timed out)\b|establishing/i

/** Whether a statement failed, before it was run, for the name that it was prepared by. */
export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.test(sqlState(error) ?? '')
}

/**
 * Runs a statement, again if PostgreSQL says that it was rolled back for others' sake.
 *
 * Nothing else is run again. When a connection breaks, a create or delete may have been committed
 * although its answer never came; a second try would then call it refused, which is not what happened.
 * Such a call has an unknown outcome, and `StorageUnavailableError` says no more than that.
 */
export function withRetries<T>(run: () => Promise<T>, tries = TRIES): Promise<T> {
  return run().catch(async (error) => {
    if (!ROLLED_BACK.test(sqlState(error) ?? '') || tries === 1) throw toFailure(error)
    // At random, so that those who met don't meet again.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS))
    return withRetries(run, tries - 1)
  })
}

function toFailure(error: any): unknown {
  if (!isOutOfReach(error)) return error
  const message = error?.message || 'PostgreSQL gave no answer'
  return new StorageUnavailableError(message, { cause: error })
}

/** PostgreSQL's own errors have an SQLSTATE; those without are the driver's, or a mistake. */
function isOutOfReach(error: any): boolean {
  const state = sqlState(error)
  if (state !== undefined) return OUT_OF_REACH.test(state)
  if (error instanceof TypeError) return false
  // Neon's driver fails with the error event of its WebSocket.
  return error?.type === 'error' || NETWORK.test(error?.code) || NO_ANSWER.test(error?.message)
}

function sqlState(error: any): string | undefined {
  return SQLSTATE.test(error?.code) ? error.code : undefined
}
