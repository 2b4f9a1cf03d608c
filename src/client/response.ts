import { ERROR_NAMES, PlantStoreError, type PlantStoreErrorCode } from './plant-store-error.ts'

/** Whether this is the expected JSON of a 200. A call without an expectation expects a 204. */
export type Expectation = (json: any) => boolean

export const isPlant: Expectation = (json) => typeof json?.name === 'string'
export const isPlants: Expectation = (json) => json?.every?.(isPlant)

/** Returns the expected JSON, or throws the PlantStoreError for the response. */
export async function readJson(
  response: Response,
  origin: string,
  isExpected?: Expectation,
): Promise<any> {
  const { status, ok } = response
  if (!isExpected && status === 204) return
  // The error to throw if the next step fails.
  let message = `Network error at ${origin}`
  let code: PlantStoreErrorCode = 'network_error'
  let cause: unknown
  let error: any
  try {
    const text = await readText(response)
    // Browsers show a redirect as a response of status 0.
    code = ok || status > 399 ? 'unexpected_response' : 'redirect_refused'
    message = `Got a ${status || 'redirect'} from a proxy or framework, not the plant store`
    const json = JSON.parse(text)
    if (ok && isExpected?.(json)) return json
    if (typeof json?.error === 'number') {
      // First, since this throws for a message that can't be converted to text.
      message = `${json.message ?? message}`
      error = json.error
      code = ERROR_NAMES[error] ?? code
    }
  } catch (caught) {
    cause = caught
    // Too large: it would be so again.
    if (caught instanceof RangeError) code = 'unexpected_response'
  }
  throw new PlantStoreError(message, {
    code,
    status,
    error,
    retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    cause,
  })
}

const MAX_LENGTH = 2 ** 26

/** Reads a body as UTF-8 text. Rejects with a RangeError beyond 64 Mi characters: the end of the call then cancels the rest. */
async function readText(response: Response): Promise<string> {
  // React Native has no `body`, even if there is one to read, and DOMs for tests have other streams.
  if (typeof response.body?.getReader !== 'function') return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  for (let text = ''; ; ) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done) return text
    if (text.length > MAX_LENGTH) throw new RangeError('Over 64 MiB')
  }
}

/** Returns the seconds of a `Retry-After` header. A proxy may send a date (RFC 9110, section 10.2.3). */
function retryAfter(header: any): number | undefined {
  const seconds = header > 0 ? +header : (Date.parse(header) - Date.now()) / 1000
  return seconds > 0 ? seconds : undefined
}

// RFC 8288, section 3: a target, a `rel` parameter, or the quoted value of another parameter, which may
// contain anything. The time is linear: a target ends at the next `<`, and a quoted value at the next quote
// or at the end, so that no text is scanned twice. `fetch` bounds the length: to 16 KiB in Node.
const LINK_PART = /<([^<>]*)>|;\s*rel\s*=\s*("[^"]*"|[^\s;,]*)|"(?:\\.|[^"\\])*"?/gi

/** Finds the target of the first link with the relation `next` in the `Link` header. */
export function linkToNext({ headers }: Response): string | undefined {
  let target: string | undefined
  for (const [, uri, relations] of `${headers.get('link')}`.matchAll(LINK_PART)) {
    if (/(^|[ "])next([ "]|$)/i.test(relations!)) return target
    target = uri ?? target
  }
  return undefined
}
