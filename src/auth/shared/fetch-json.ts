const MAX_BYTES = 1024 * 1024

/**
 * Fetches JSON from a trusted service. Redirects are not followed, since only this URL is trusted and may get
 * the credentials.
 *
 * @throws Error unless the response is a 200 with JSON in UTF-8 of at most 1 MiB. The message never quotes
 *   the response
 */
export async function fetchJson(url: string | URL, init: RequestInit): Promise<unknown> {
  const { origin } = new URL(url)
  const { status, body } = await fetch(url, { ...init, redirect: 'manual' })
  if (status !== 200) {
    await body?.cancel()
    throw new Error(`${origin} responded with status ${status}; expected 200`)
  }
  const text = await readLimitedText(body, origin)
  try {
    return JSON.parse(text)
  } catch {
    // The SyntaxError would quote the response, which may name the owner.
    throw new Error(`${origin} responded with malformed JSON`)
  }
}

async function readLimitedText(body: Response['body'], origin: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`${origin} responded with more than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
