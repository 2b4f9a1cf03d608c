/** The most reasons that are logged in one minute: strangers may choose what a token says. */
const MAX_REASONS = 100
const MAX_LENGTH = 200
const MINUTE_MS = 60_000

let minute = 0
const logged = new Set<string>()

/**
 * The part of the default log that says why tokens were refused. Logs each reason once a minute.
 */
export function logRefusal(reason: string): void {
  const now = Math.floor(Date.now() / MINUTE_MS)
  if (now !== minute) logged.clear()
  minute = now
  if (logged.size >= MAX_REASONS) return
  const text = reason.slice(0, MAX_LENGTH).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
  if (logged.has(text)) return
  logged.add(text)
  console.warn(`A token was refused with 401: ${text}`)
}
