/** Reads a body as UTF-8 text. Rejects with a RangeError, and cancels the rest, beyond 64 MiB. */
export function readText(response: Response): Promise<string> {
  // React Native has no `body`, even if there is one to read.
  if (!response.body) return response.text()
  let room = 2 ** 26
  const limited = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        room -= chunk.length
        if (room < 0) throw new RangeError('More than 64 MiB')
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(limited).text()
}
