import { StorageUnavailableError } from '../../errors.ts'

/** The messages that mean that D1, a Durable Object or an SQLite handle is unavailable. Few errors have a property for it. */
const UNAVAILABLE = [
  // https://developers.cloudflare.com/d1/observability/debug-d1/#error-list. D1 runs in a Durable Object.
  'connection lost|client disconnected|transient issue|internal error|unavailable',
  '(?:was|be|object) reset|reset because|code has been updated',
  // CPU, memory, time, the size of a database or an account, and the daily limits of the free plan:
  // https://developers.cloudflare.com/d1/platform/pricing/, https://developers.cloudflare.com/durable-objects/platform/pricing/
  'exceeded|SQLITE_FULL',
  'long-running (?:export|import)',
  // The binding of D1 expects JSON. A proxy of Cloudflare has answered with a page.
  'parse body as JSON',
  // https://developers.cloudflare.com/durable-objects/observability/troubleshooting/
  'overloaded|queued|back off|try again|connection closed|no longer (?:active|accessible)|different machine',
  // The open handle of another library, as sqliteStorage maps them: another connection writes, the memory or the disk fails.
  'is locked|SQLITE_(?:BUSY|LOCKED|IOERR)|disk is full|disk I/O error|out of memory',
  'readonly database|unable to open database|image is malformed',
  // libSQL over HTTP
  'HTTP status (?:5|429)|fetch failed|timed out',
]
const unavailable = new RegExp(UNAVAILABLE.join('|'), 'i')

const CONSTRAINT = 19 // SQLITE_CONSTRAINT, the lowest byte of the `errcode` of node:sqlite

/** Converts an error that means that the service is unavailable to `StorageUnavailableError`. */
export function fromCloudflareError(error: any): unknown {
  const { code, errcode, message } = error ?? {}
  // The app chooses the names of its constraints and the messages of its triggers: 'quota exceeded'.
  const isConstraint = `${code} ${message}`.includes('SQLITE_CONSTRAINT')
  if (isConstraint || (errcode & 0xff) === CONSTRAINT) return error
  // https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
  const { retryable, overloaded, durableObjectReset } = error ?? {}
  if (!retryable && !overloaded && !durableObjectReset && !unavailable.test(message)) return error
  return new StorageUnavailableError(message, { cause: error })
}
