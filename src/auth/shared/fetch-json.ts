const MAX_BYTES = 1024 * 1024

/**
 * Fetches JSON from a service that is trusted. Whatever is not a 200 with JSON in UTF-8, a mebibyte of
 * it at most, throws, and the error quotes nothing of it. No redirect is followed, since credentials
 * and trust are for one URL alone.
 */
export async function fetchJson(url: string | URL, init: RequestInit): Promise<unknown> {
  const { origin } = new URL(url)
  const { status, body } = await fetch(url, { ...init, redirect: 'manual' })
  if (status !== 200) {
    await body?.cancel()
    throw new Error(`${origin} answered with the status ${status}`)
  }
  const text = await readText(body, origin)
  try {
    return JSON.parse(text)
  } catch {
    // The SyntaxError would quote the answer, and with it whose the token is.
    throw new Error(`${origin} answered with no JSON`)
  }
}

async function readText(body: Response['body'], origin: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`${origin} answered with too much`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
