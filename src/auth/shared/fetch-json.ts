const MAX_BYTES = 1024 * 1024

/**
 * Fetches JSON from a trusted service. Redirects are not followed, since only this URL is trusted and may get
 * the credentials.
 *
 * @param option the option that the URL was passed as, for messages
 * @throws Error unless the response is a 200 with JSON in UTF-8 of at most 1 MiB. The message never quotes
 *   the response
 */
export async function fetchJson(
  option: string,
  url: string | URL,
  init: RequestInit,
): Promise<unknown> {
  const fail = (fault: string, cause?: unknown): never => {
    throw serviceError(option, url, fault, cause)
  }
  const failToRead = (cause: any) => {
    // The client has gone.
    if (cause?.name === 'AbortError') throw cause
    return fail("can't be read", cause)
  }
  const { status, body } = await fetch(url, { ...init, redirect: 'manual' }).catch(failToRead)
  if (status !== 200) {
    await body?.cancel()
    return fail(`responded with status ${status}; expected 200`)
  }
  const text = await readLimitedText(body).catch(failToRead)
  try {
    return JSON.parse(text)
  } catch {
    // The SyntaxError would quote the response, which may name the owner.
    return fail('responded with malformed JSON')
  }
}

/** Creates the error that names a service by its option and its URL, without the query, which may hold a secret. */
export function serviceError(
  option: string,
  url: string | URL,
  fault: string,
  cause?: unknown,
): Error {
  const { origin, pathname } = new URL(url)
  const message = `${option}: ${origin}${pathname} ${fault}`
  return cause === undefined ? new Error(message) : new Error(message, { cause })
}

async function readLimitedText(body: Response['body']): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`More than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
