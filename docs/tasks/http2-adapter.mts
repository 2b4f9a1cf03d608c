import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { IncomingRequest, PlantStore, Reply } from 'plant-store/adapter'
import { getReply, isStream, readChunks } from 'plant-store/adapter'

/** For `server.on('stream', …)`. */
export function toStreamHandler(store: PlantStore) {
  return async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {}) // the client has reset the stream
    const reply = await getReply(store, fromStream(stream, headers))
    if (!stream.destroyed) await send(stream, reply)
  }
}

function fromStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): IncomingRequest {
  const {
    ':method': method = '',
    ':path': url = '',
    ':scheme': scheme,
    ':authority': host,
  } = headers
  const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  return {
    method,
    url,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    async readBody(maxBytes) {
      if (Number(headers['content-length']) > maxBytes) return null
      return readChunks(stream.iterator({ destroyOnReturn: false }), maxBytes)
    },
    toRequest: () =>
      new Request(`${scheme}://${host}${url}`, { method, headers: fields as [string, string][] }),
    isAborted: () => stream.destroyed,
    toSignal() {
      const controller = new AbortController()
      if (stream.destroyed) controller.abort()
      stream.once('close', () => controller.abort())
      return controller.signal
    },
  }
}

async function send(stream: ServerHttp2Stream, { status, headers, body }: Reply): Promise<void> {
  if (!isStream(body)) {
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
    stream.respond({ ':status': status, ...headers, ...length })
    // Drop the rest of a body that was refused.
    stream.once('finish', () => stream.close())
    stream.end(body ?? '')
    return
  }
  stream.respond({ ':status': status, ...headers })
  try {
    // Backpressure: the store reads the next page when this one is sent.
    for await (const part of body) await write(stream, part)
    stream.end()
  } catch (error) {
    // A truncated list must not look complete.
    stream.destroy(error as Error)
  }
}

function write(stream: ServerHttp2Stream, part: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error('The client has disconnected'))
    stream.once('close', onClose)
    stream.write(part, (error) => {
      stream.off('close', onClose)
      error ? reject(error) : resolve()
    })
  })
}
