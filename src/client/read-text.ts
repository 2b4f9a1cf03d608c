const MAX_BYTES = 2 ** 26

/** Reads a body as UTF-8 text. Rejects with a RangeError, and cancels the rest, beyond 64 MiB. */
export async function readText(response: Response): Promise<string> {
  // React Native has no `body`, even if there is one to read, and DOMs for tests have streams of their own.
  if (typeof response.body?.getReader !== 'function') return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_BYTES) {
      const error = new RangeError('More than 64 MiB')
      reader.cancel(error).catch(() => {})
      throw error
    }
    text += decoder.decode(value, { stream: true })
  }
}
